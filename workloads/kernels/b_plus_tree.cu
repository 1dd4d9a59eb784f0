// Queries on a B+ tree: the record of a key, and the records of a range of keys. Stands for
// Rodinia's B+tree (Malekeh, Table II).
//
// A thread block answers one query; each of its threads watches one key slot of the current node.
// Level by level, the one thread whose slot and its right neighbour enclose the key names the child
// to go to; a barrier before and one after the step keep the block together. Children outside the
// tree (beyond `node_count`) are not followed. In a leaf, the thread whose slot holds the key
// reports its record.

constexpr int ORDER = 256;

struct TreeNode {
    int location;
    int children[ORDER + 1];  // in a leaf: records
    int keys[ORDER + 1];
    bool is_leaf;
    int key_count;
};

struct Record {
    int value;
};

extern "C" __global__ void find_key(int height, const TreeNode *nodes, int node_count, const Record *records,
                                    int *current, int *next, const int *keys, Record *answers) {
    int slot = threadIdx.x;
    int query = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (nodes[current[query]].keys[slot] <= keys[query] && nodes[current[query]].keys[slot + 1] > keys[query]) {
            if (nodes[current[query]].children[slot] < node_count) {
                next[query] = nodes[current[query]].children[slot];
            }
        }
        __syncthreads();
        if (slot == 0) {
            current[query] = next[query];
        }
        __syncthreads();
    }

    if (nodes[current[query]].keys[slot] == keys[query]) {
        answers[query].value = records[nodes[current[query]].children[slot]].value;
    }
}

// The ends of a range are found like keys, both on the way down at once. The answer is the record
// where the range starts and the number of records in it.
extern "C" __global__ void find_range(int height, const TreeNode *nodes, int node_count, int *current_first,
                                      int *next_first, int *current_last, int *next_last, const int *first_keys,
                                      const int *last_keys, int *range_start, int *range_length) {
    int slot = threadIdx.x;
    int query = blockIdx.x;

    for (int level = 0; level < height; level++) {
        if (nodes[current_first[query]].keys[slot] <= first_keys[query] &&
            nodes[current_first[query]].keys[slot + 1] > first_keys[query]) {
            if (nodes[current_first[query]].children[slot] < node_count) {
                next_first[query] = nodes[current_first[query]].children[slot];
            }
        }
        if (nodes[current_last[query]].keys[slot] <= last_keys[query] &&
            nodes[current_last[query]].keys[slot + 1] > last_keys[query]) {
            if (nodes[current_last[query]].children[slot] < node_count) {
                next_last[query] = nodes[current_last[query]].children[slot];
            }
        }
        __syncthreads();
        if (slot == 0) {
            current_first[query] = next_first[query];
            current_last[query] = next_last[query];
        }
        __syncthreads();
    }

    if (nodes[current_first[query]].keys[slot] == first_keys[query]) {
        range_start[query] = nodes[current_first[query]].children[slot];
    }
    __syncthreads();
    if (nodes[current_last[query]].keys[slot] == last_keys[query]) {
        range_length[query] = nodes[current_last[query]].children[slot] - range_start[query] + 1;
    }
}
