// Breadth-first search: the distance of every node from a source. Stands for Rodinia's BFS
// (Malekeh, Table II).
//
// A level of the search is two kernels with one thread per node. `expand` visits the edges of the
// nodes in the frontier and gives their unvisited ends a distance; several threads may reach the
// same node, and all write the same value. `advance` makes the nodes so reached the next frontier
// and tells the host that there is one. Pointers may alias as far as the compiler knows, so the
// loop over the edges loads its bounds anew after every store.

struct Node {
    int first_edge;
    int edges;
};

extern "C" __global__ void expand(const Node *nodes, const int *edges, bool *frontier, bool *reached,
                                  const bool *visited, int *distance, int count) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < count && frontier[node]) {
        frontier[node] = false;
        for (int edge = nodes[node].first_edge; edge < nodes[node].first_edge + nodes[node].edges; edge++) {
            int neighbour = edges[edge];
            if (!visited[neighbour]) {
                distance[neighbour] = distance[node] + 1;
                reached[neighbour] = true;
            }
        }
    }
}

extern "C" __global__ void advance(bool *frontier, bool *reached, bool *visited, bool *more, int count) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < count && reached[node]) {
        frontier[node] = true;
        visited[node] = true;
        *more = true;
        reached[node] = false;
    }
}
