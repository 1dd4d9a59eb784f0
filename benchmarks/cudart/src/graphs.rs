// SPDX-License-Identifier: Apache-2.0
//! Graphs of operations: built node by node or captured from streams, and launched node after node.

use std::ffi::c_void;
use std::sync::Arc;

use crate::copies::Copy3d;
use crate::errors::{
    Answer, CAPTURE_UNMATCHED, CAPTURE_UNSUPPORTED, GRAPH_UPDATE_FAILED, INVALID_HANDLE, INVALID_VALUE,
    NOT_SUPPORTED,
};
use crate::host::{answer, complain, Host, Locked};
use crate::launches::{Dim3, Launch};
use crate::memory::{Extent, Kind};
use crate::operations::{Call, Choice, ChoiceKind, Fill, Operation, Transfer};
use crate::streams::{Event, Stream};

/// The target of a `cudaGraph_t`.
pub struct Graph {
    id: u32,
    nodes: Vec<*mut Node>,
    conditions: Vec<Condition>,
}

/// A condition's place on the device, and what stands there when its graph is launched.
#[derive(Clone, Copy)]
struct Condition {
    place: u64,
    start: u32,
}

/// The target of a `cudaGraphNode_t`.
pub struct Node {
    graph: *mut Graph,
    operation: Operation,
    /// As the program gave them, for those who ask.
    parameters: Parameters,
    /// Nodes that come before it.
    after: Vec<*mut Node>,
    /// The node that it is a clone of.
    original: *mut Node,
}

/// The parameters of a node.
#[derive(Clone)]
enum Parameters {
    /// With the places of its arguments.
    Kernel(KernelNode, Vec<*const u8>),
    Copy(Copy3d),
    Fill(FillNode),
    Host(HostNode),
    Child(*mut Graph),
    None,
}

/// The target of a `cudaGraphExec_t`: nodes in an order that they can be executed in.
pub struct Executable {
    id: u32,
    flags: u64,
    steps: Vec<Step>,
    conditions: Vec<Condition>,
}

struct Step {
    node: *mut Node,
    operation: Operation,
    enabled: bool,
}

/// A stream's part in a capture.
pub struct Capture {
    pub id: u64,
    graph: *mut Graph,
    /// Nodes that the next one comes after.
    pub last: Vec<*mut Node>,
    /// The capture began in this stream.
    origin: bool,
}

/// `cudaGraphNodeType`.
const KERNEL: i32 = 0;
const COPY: i32 = 1;
const FILL: i32 = 2;
const HOST: i32 = 3;
const CHILD: i32 = 4;
const EMPTY: i32 = 5;
const WAIT: i32 = 6;
const RECORD: i32 = 7;
const CHOOSE: i32 = 13;

impl Operation {
    fn kind(&self) -> i32 {
        match self {
            Operation::Launch(_) => KERNEL,
            Operation::Copy(_) => COPY,
            Operation::Fill(_) => FILL,
            Operation::Call(_) => HOST,
            Operation::All(_) => CHILD,
            Operation::Nothing => EMPTY,
            Operation::Wait => WAIT,
            Operation::Record(_) => RECORD,
            Operation::Choose(..) | Operation::Chosen(..) => CHOOSE,
        }
    }
}

impl Graph {
    fn create(host: &mut Host) -> *mut Graph {
        host.graphs += 1;
        Box::into_raw(Box::new(Graph { id: host.graphs, nodes: vec![], conditions: vec![] }))
    }

    unsafe fn destroy(graph: *mut Graph) {
        let graph = unsafe { Box::from_raw(graph) };
        graph.nodes.iter().for_each(|&node| unsafe { Node::destroy(node) });
    }

    unsafe fn add(
        graph: *mut Graph,
        operation: Operation,
        parameters: Parameters,
        after: &[*mut Node],
    ) -> *mut Node {
        let node =
            Node { graph, operation, parameters, after: after.to_vec(), original: std::ptr::null_mut() };
        let node = Box::into_raw(Box::new(node));
        unsafe { (*graph).nodes.push(node) };
        node
    }

    /// Nodes in an order in which each stands behind those before it, the earlier made first. An error where
    /// some wait for each other.
    unsafe fn ordered(&self) -> Answer<Vec<*mut Node>> {
        let mut rest = self.nodes.clone();
        let mut done: Vec<*mut Node> = vec![];
        while !rest.is_empty() {
            let ready =
                |node: &*mut Node| unsafe { (**node).after.iter().all(|before| done.contains(before)) };
            let next = rest.iter().position(ready).ok_or(INVALID_VALUE)?;
            done.push(rest.remove(next));
        }
        Ok(done)
    }

    unsafe fn operations(&self) -> Answer<Vec<Operation>> {
        let ordered = unsafe { self.ordered()? };
        ordered.into_iter().map(|node| unsafe { (*node).settled() }).collect()
    }

    /// As CUDA has it, such a graph is neither cloned nor part of another one.
    unsafe fn refuse_choices(&self) -> Answer {
        let chooses = |&node: &*mut Node| matches!(unsafe { &(*node).operation }, Operation::Choose(..));
        match self.nodes.iter().any(chooses) {
            true => Err(NOT_SUPPORTED),
            false => Ok(()),
        }
    }

    /// Conditions of the graph and of those that they pick from.
    unsafe fn all_conditions(&self) -> Vec<Condition> {
        let mut all = self.conditions.clone();
        for &node in &self.nodes {
            if let Operation::Choose(_, bodies) = unsafe { &(*node).operation } {
                bodies.iter().for_each(|&body| all.extend(unsafe { (*body).all_conditions() }));
            }
        }
        all
    }
}

impl Node {
    /// With the graphs that it picks from.
    unsafe fn destroy(node: *mut Node) {
        let node = unsafe { Box::from_raw(node) };
        if let Operation::Choose(_, bodies) = &node.operation {
            bodies.iter().for_each(|&body| unsafe { Graph::destroy(body) });
        }
    }

    /// The operation as it is now. Later changes of graphs do not reach it.
    unsafe fn settled(&self) -> Answer<Operation> {
        let Operation::Choose(choice, bodies) = &self.operation else { return Ok(self.operation.clone()) };
        let body = |&body: &*mut Graph| Ok(Operation::All(unsafe { (*body).operations()? }));
        Ok(Operation::Chosen(*choice, bodies.iter().map(body).collect::<Answer<_>>()?))
    }
}

impl Capture {
    pub unsafe fn note(&mut self, operation: Operation) {
        let mut parameters = Parameters::None;
        if let Operation::Launch(launch) = &operation {
            parameters = kernel_parameters(launch);
        }
        let node = unsafe { Graph::add(self.graph, operation, parameters, &self.last) };
        self.last = vec![node];
    }

    /// Lets a stream take part in a capture behind these nodes.
    pub unsafe fn join(host: &mut Host, stream: &mut Stream, id: u64, before: &[*mut Node]) -> Answer {
        // Else the capture is over, and the event is of no meaning any more.
        let Some(&graph) = host.captures.get(&id) else { return Ok(()) };
        let joined = Capture { id, graph, last: vec![], origin: false };
        let capture = stream.capture.get_or_insert(joined);
        if capture.id != id {
            return Err(CAPTURE_UNSUPPORTED);
        }
        capture.last.extend(before.iter().filter(|node| !capture.last.contains(node)).collect::<Vec<_>>());
        Ok(())
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamBeginCapture(stream: *mut Stream, _: i32) -> i32 {
    answer(|host| unsafe { begin_capture(host, stream, None, &[]) })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamBeginCaptureToGraph(
    stream: *mut Stream,
    graph: *mut Graph,
    after: *const *mut Node,
    _: *const c_void,
    count: usize,
    _: i32,
) -> i32 {
    answer(|host| unsafe { begin_capture(host, stream, Some(graph), list(after, count)) })
}

unsafe fn begin_capture(
    host: &mut Locked,
    stream: *mut Stream,
    graph: Option<*mut Graph>,
    after: &[*mut Node],
) -> Answer {
    let Some(stream) = (unsafe { Stream::of(stream) }) else { return Err(CAPTURE_UNSUPPORTED) };
    if stream.capture.is_some() {
        return Err(CAPTURE_UNSUPPORTED);
    }
    let graph = graph.unwrap_or_else(|| Graph::create(host));
    host.streams += 1;
    let id = host.streams;
    host.captures.insert(id, graph);
    stream.capture = Some(Capture { id, graph, last: after.to_vec(), origin: true });
    Ok(())
}

/// The streams that took part forget the capture when they are next used.
#[no_mangle]
pub unsafe extern "C" fn cudaStreamEndCapture(stream: *mut Stream, graph: *mut *mut Graph) -> i32 {
    answer(|host| unsafe {
        let stream = Stream::of(stream).ok_or(CAPTURE_UNMATCHED)?;
        let capture = stream.capture.take().filter(|capture| capture.origin).ok_or(CAPTURE_UNMATCHED)?;
        host.captures.remove(&capture.id);
        put(graph, capture.graph);
        Ok(())
    })
}

/// `cudaStreamCaptureStatus`.
#[no_mangle]
pub unsafe extern "C" fn cudaStreamIsCapturing(stream: *mut Stream, status: *mut i32) -> i32 {
    answer(|_| unsafe {
        *status = i32::from(Stream::capture_of(stream).is_some());
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaStreamGetCaptureInfo(
    stream: *mut Stream,
    status: *mut i32,
    id: *mut u64,
    graph: *mut *mut Graph,
    last: *mut *const *mut Node,
    edges: *mut *const c_void,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        let capture = Stream::capture_of(stream);
        *status = i32::from(capture.is_some());
        let Some(capture) = capture else { return Ok(()) };
        put(id, capture.id);
        put(graph, capture.graph);
        put(last, capture.last.as_ptr());
        put(edges, std::ptr::null());
        put(count, capture.last.len());
        Ok(())
    })
}

/// Adds to the nodes that the next one comes after, or replaces them.
#[no_mangle]
pub unsafe extern "C" fn cudaStreamUpdateCaptureDependencies(
    stream: *mut Stream,
    nodes: *const *mut Node,
    _: *const c_void,
    count: usize,
    flags: u32,
) -> i32 {
    answer(|_| unsafe {
        let capture = Stream::capture_of(stream).ok_or(INVALID_VALUE)?;
        if flags & 1 != 0 {
            capture.last.clear();
        }
        capture.last.extend(list(nodes, count));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaThreadExchangeStreamCaptureMode(_: *mut i32) -> i32 {
    answer(|_| Ok(()))
}

/// Where the program wants to know.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        unsafe { place.write(value) };
    }
}

unsafe fn list<'a, T>(start: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        _ => unsafe { std::slice::from_raw_parts(start, count) },
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphCreate(graph: *mut *mut Graph, _: u32) -> i32 {
    answer(|host| unsafe {
        *graph = Graph::create(host);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphDestroy(graph: *mut Graph) -> i32 {
    answer(|_| unsafe {
        if graph.is_null() {
            return Err(INVALID_VALUE);
        }
        Graph::destroy(graph);
        Ok(())
    })
}

/// `cudaKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNode {
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    arguments: *const *const u8,
    extra: *mut c_void,
}

const _: () = assert!(size_of::<KernelNode>() == 56);

/// `cudaMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FillNode {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

const _: () = assert!(size_of::<FillNode>() == 40);

/// `cudaHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNode {
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
}

/// An operation, and what it was made of.
type Made = (Operation, Parameters);

impl KernelNode {
    unsafe fn made(&self, host: &mut Locked) -> Answer<Made> {
        if !self.extra.is_null() {
            return Err(NOT_SUPPORTED);
        }
        let KernelNode { function, grid, block, shared, arguments, .. } = *self;
        let launch = unsafe { Launch::new(host, function, grid, block, arguments, shared as usize)? };
        let parameters = kernel_parameters(&launch);
        Ok((Operation::Launch(launch), parameters))
    }
}

/// Arguments are where the launch keeps them, which its clones share.
fn kernel_parameters(launch: &Launch) -> Parameters {
    let pointers: Vec<_> = launch.arguments.iter().map(|argument| argument.0.as_ptr()).collect();
    let node = KernelNode {
        function: launch.function,
        grid: launch.grid.into(),
        block: launch.block.into(),
        shared: launch.shared as u32,
        arguments: std::ptr::null(),
        extra: std::ptr::null_mut(),
    };
    Parameters::Kernel(node, pointers)
}

impl FillNode {
    fn made(self) -> Answer<Made> {
        let FillNode { address, pitch, value, element, width, height } = self;
        if !matches!(element, 1 | 2 | 4) {
            return Err(INVALID_VALUE);
        }
        let extent = Extent { x: width, y: height, z: 1 };
        let fill = Fill { address, pitch, plane: 0, value, element: element as usize, extent };
        Ok((Operation::Fill(fill), Parameters::Fill(self)))
    }
}

impl HostNode {
    fn made(self) -> Answer<Made> {
        let call = Call::Plain(self.function.ok_or(INVALID_VALUE)?, self.data);
        Ok((Operation::Call(call), Parameters::Host(self)))
    }
}

unsafe fn copied(copy: *const Copy3d) -> Answer<Made> {
    unsafe { Ok((Operation::Copy((*copy).copy()?), Parameters::Copy(*copy))) }
}

fn plain(copy: Transfer) -> Made {
    (Operation::Copy(copy), Parameters::None)
}

unsafe fn child(graph: *mut Graph) -> Answer<Made> {
    let inner = unsafe { graph.as_ref() }.ok_or(INVALID_VALUE)?;
    let operations = unsafe {
        inner.refuse_choices()?;
        inner.operations()?
    };
    Ok((Operation::All(operations), Parameters::Child(graph)))
}

/// Defines how a node of a kind is added to a graph, changed in it, and changed in what was made of it.
macro_rules! nodes {
    ($($add:ident $set:ident $set_executable:ident ($host:ident $(, $argument:ident: $type:ty)*) $made:block)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $add(
            node: *mut *mut Node,
            graph: *mut Graph,
            after: *const *mut Node,
            count: usize,
            $($argument: $type),*
        ) -> i32 {
            answer(|$host| unsafe {
                let (operation, parameters): Made = $made;
                put(node, Graph::add(graph, operation, parameters, list(after, count)));
                Ok(())
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $set(node: *mut Node, $($argument: $type),*) -> i32 {
            answer(|$host| unsafe {
                let (operation, parameters): Made = $made;
                let node = node.as_mut().ok_or(INVALID_HANDLE)?;
                (node.operation, node.parameters) = (operation, parameters);
                Ok(())
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $set_executable(
            executable: *mut Executable,
            node: *mut Node,
            $($argument: $type),*
        ) -> i32 {
            answer(|$host| unsafe {
                let (operation, _): Made = $made;
                step(executable, node)?.operation = operation;
                Ok(())
            })
        }
    )*};
}

nodes! {
    cudaGraphAddKernelNode cudaGraphKernelNodeSetParams cudaGraphExecKernelNodeSetParams
    (host, parameters: *const KernelNode) { (*parameters).made(host)? }

    cudaGraphAddMemcpyNode cudaGraphMemcpyNodeSetParams cudaGraphExecMemcpyNodeSetParams
    (_host, copy: *const Copy3d) { copied(copy)? }

    cudaGraphAddMemcpyNode1D cudaGraphMemcpyNodeSetParams1D cudaGraphExecMemcpyNodeSetParams1D
    (_host, to: u64, from: u64, bytes: usize, kind: i32) { plain(Transfer::line(to, from, bytes, kind)) }

    cudaGraphAddMemcpyNodeToSymbol cudaGraphMemcpyNodeSetParamsToSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol
    (host, symbol: *const c_void, from: u64, bytes: usize, offset: usize, kind: i32) {
        plain(Transfer::to_symbol(host, symbol, from, bytes, offset, kind)?)
    }

    cudaGraphAddMemcpyNodeFromSymbol cudaGraphMemcpyNodeSetParamsFromSymbol
    cudaGraphExecMemcpyNodeSetParamsFromSymbol
    (host, to: u64, symbol: *const c_void, bytes: usize, offset: usize, kind: i32) {
        plain(Transfer::from_symbol(host, to, symbol, bytes, offset, kind)?)
    }

    cudaGraphAddMemsetNode cudaGraphMemsetNodeSetParams cudaGraphExecMemsetNodeSetParams
    (_host, parameters: *const FillNode) { (*parameters).made()? }

    cudaGraphAddHostNode cudaGraphHostNodeSetParams cudaGraphExecHostNodeSetParams
    (_host, parameters: *const HostNode) { (*parameters).made()? }

    cudaGraphAddEventRecordNode cudaGraphEventRecordNodeSetEvent cudaGraphExecEventRecordNodeSetEvent
    (_host, event: *mut Event) { (Operation::Record(event), Parameters::None) }

    cudaGraphAddEventWaitNode cudaGraphEventWaitNodeSetEvent cudaGraphExecEventWaitNodeSetEvent
    (_host, _event: *mut Event) { (Operation::Wait, Parameters::None) }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddChildGraphNode(
    node: *mut *mut Node,
    graph: *mut Graph,
    after: *const *mut Node,
    count: usize,
    inner: *mut Graph,
) -> i32 {
    answer(|_| unsafe {
        let (operation, parameters) = child(inner)?;
        put(node, Graph::add(graph, operation, parameters, list(after, count)));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecChildGraphNodeSetParams(
    executable: *mut Executable,
    node: *mut Node,
    inner: *mut Graph,
) -> i32 {
    answer(|_| unsafe {
        step(executable, node)?.operation = child(inner)?.0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddEmptyNode(
    node: *mut *mut Node,
    graph: *mut Graph,
    after: *const *mut Node,
    count: usize,
) -> i32 {
    answer(|_| unsafe {
        put(node, Graph::add(graph, Operation::Nothing, Parameters::None, list(after, count)));
        Ok(())
    })
}

impl Condition {
    /// Puts what stands there at a launch.
    fn begin(&self) -> Operation {
        let extent = Extent { x: 1, y: 1, z: 1 };
        Operation::Fill(Fill {
            address: self.place,
            pitch: 0,
            plane: 0,
            value: self.start,
            element: 4,
            extent,
        })
    }
}

/// `cudaGraphCondAssignDefault`: launches begin with the default.
const ASSIGN_DEFAULT: u32 = 1;

/// The handle is the place of the condition, to which kernels store.
#[no_mangle]
pub unsafe extern "C" fn cudaGraphConditionalHandleCreate(
    handle: *mut u64,
    graph: *mut Graph,
    start: u32,
    flags: u32,
) -> i32 {
    answer(|host| unsafe {
        let graph = graph.as_mut().ok_or(INVALID_HANDLE)?;
        let place = host.allocate(4, Kind::Device)?;
        if flags & ASSIGN_DEFAULT != 0 {
            graph.conditions.push(Condition { place, start });
        }
        *handle = place;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphConditionalHandleCreate_v2(
    handle: *mut u64,
    graph: *mut Graph,
    _: *const c_void,
    start: u32,
    flags: u32,
) -> i32 {
    unsafe { cudaGraphConditionalHandleCreate(handle, graph, start, flags) }
}

/// `cudaConditionalNodeParams`.
#[repr(C)]
struct ChoiceNode {
    condition: u64,
    kind: i32,
    count: u32,
    /// For the program: the graphs to fill.
    bodies: *const *mut Graph,
    context: *const c_void,
}

impl ChoiceNode {
    fn made(&mut self, host: &mut Locked) -> Answer<Made> {
        let (kind, counts) = match self.kind {
            0 => (ChoiceKind::If, 1..=2),
            1 => (ChoiceKind::While, 1..=1),
            2 => (ChoiceKind::Switch, 1..=u32::MAX),
            _ => return Err(INVALID_VALUE),
        };
        if !counts.contains(&self.count) || host.allocations.at(self.condition).is_none() {
            return Err(INVALID_VALUE);
        }
        let bodies: Arc<[*mut Graph]> = (0..self.count).map(|_| Graph::create(host)).collect();
        self.bodies = bodies.as_ptr();
        let choice = Choice { kind, condition: self.condition };
        Ok((Operation::Choose(choice, bodies), Parameters::None))
    }
}

/// `cudaGraphNodeParams`, with the parameters of any kind behind its kind.
#[repr(C)]
pub struct AnyNode {
    kind: i32,
    reserved: [i32; 3],
    parameters: [u64; 29],
    more: u64,
}

const _: () = assert!(size_of::<AnyNode>() == 256);

impl AnyNode {
    unsafe fn made(&mut self, host: &mut Locked) -> Answer<Made> {
        let start = self.parameters.as_mut_ptr();
        unsafe {
            match self.kind {
                KERNEL => {
                    // The same fields, and more behind them.
                    (*start.cast::<KernelNode>()).made(host)
                }
                // Flags and a context stand before the copy.
                COPY => copied(start.add(2).cast()),
                FILL => (*start.cast::<FillNode>()).made(),
                HOST => (*start.cast::<HostNode>()).made(),
                CHILD => child(*start.cast()),
                EMPTY => Ok((Operation::Nothing, Parameters::None)),
                WAIT => Ok((Operation::Wait, Parameters::None)),
                RECORD => Ok((Operation::Record(*start.cast()), Parameters::None)),
                CHOOSE => (*start.cast::<ChoiceNode>()).made(host),
                _ => {
                    complain(format!("nodes of kind {} of graphs are not emulated", self.kind));
                    Err(NOT_SUPPORTED)
                }
            }
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddNode(
    node: *mut *mut Node,
    graph: *mut Graph,
    after: *const *mut Node,
    _: *const c_void,
    count: usize,
    parameters: *mut AnyNode,
) -> i32 {
    answer(|host| unsafe {
        let (operation, parameters) = (*parameters).made(host)?;
        put(node, Graph::add(graph, operation, parameters, list(after, count)));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeSetParams(node: *mut Node, parameters: *mut AnyNode) -> i32 {
    answer(|host| unsafe {
        let node = node.as_mut().ok_or(INVALID_HANDLE)?;
        (node.operation, node.parameters) = (*parameters).made(host)?;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecNodeSetParams(
    executable: *mut Executable,
    node: *mut Node,
    parameters: *mut AnyNode,
) -> i32 {
    answer(|host| unsafe {
        step(executable, node)?.operation = (*parameters).made(host)?.0;
        Ok(())
    })
}

/// Memory of a graph stays while the program runs.
#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddMemAllocNode(
    node: *mut *mut Node,
    graph: *mut Graph,
    after: *const *mut Node,
    count: usize,
    parameters: *mut AllocationNode,
) -> i32 {
    answer(|host| unsafe {
        let parameters = &mut *parameters;
        parameters.address = host.allocate(parameters.bytes as u64, Kind::Graph)?;
        put(node, Graph::add(graph, Operation::Nothing, Parameters::None, list(after, count)));
        Ok(())
    })
}

/// `cudaMemAllocNodeParams`.
#[repr(C)]
pub struct AllocationNode {
    pool: [u64; 11],
    accesses: *const c_void,
    access_count: usize,
    bytes: usize,
    address: u64,
}

const _: () = assert!(size_of::<AllocationNode>() == 120);

#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddMemFreeNode(
    node: *mut *mut Node,
    graph: *mut Graph,
    after: *const *mut Node,
    count: usize,
    _: u64,
) -> i32 {
    unsafe { cudaGraphAddEmptyNode(node, graph, after, count) }
}

/// The parameters that a node was made of.
unsafe fn parameters<'a>(node: *mut Node) -> Answer<&'a mut Parameters> {
    unsafe { node.as_mut() }.map(|node| &mut node.parameters).ok_or(INVALID_HANDLE)
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphKernelNodeGetParams(node: *mut Node, into: *mut KernelNode) -> i32 {
    answer(|_| unsafe {
        let Parameters::Kernel(kernel, pointers) = parameters(node)? else { return Err(INVALID_VALUE) };
        *into = KernelNode { arguments: pointers.as_ptr(), ..*kernel };
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphMemcpyNodeGetParams(node: *mut Node, into: *mut Copy3d) -> i32 {
    answer(|_| unsafe {
        let Parameters::Copy(copy) = parameters(node)? else { return Err(INVALID_VALUE) };
        *into = *copy;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphMemsetNodeGetParams(node: *mut Node, into: *mut FillNode) -> i32 {
    answer(|_| unsafe {
        let Parameters::Fill(fill) = parameters(node)? else { return Err(INVALID_VALUE) };
        *into = *fill;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphHostNodeGetParams(node: *mut Node, into: *mut HostNode) -> i32 {
    answer(|_| unsafe {
        let Parameters::Host(call) = parameters(node)? else { return Err(INVALID_VALUE) };
        *into = *call;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphChildGraphNodeGetGraph(node: *mut Node, into: *mut *mut Graph) -> i32 {
    answer(|_| unsafe {
        let Parameters::Child(graph) = parameters(node)? else { return Err(INVALID_VALUE) };
        *into = *graph;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphKernelNodeSetAttribute(_: *mut Node, _: i32, _: *const c_void) -> i32 {
    answer(|_| Ok(()))
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphKernelNodeCopyAttributes(_: *mut Node, _: *mut Node) -> i32 {
    answer(|_| Ok(()))
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeGetType(node: *mut Node, kind: *mut i32) -> i32 {
    answer(|_| unsafe {
        *kind = node.as_ref().ok_or(INVALID_HANDLE)?.operation.kind();
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphGetId(graph: *mut Graph, id: *mut u32) -> i32 {
    answer(|_| unsafe {
        *id = graph.as_ref().ok_or(INVALID_HANDLE)?.id;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecGetId(executable: *mut Executable, id: *mut u32) -> i32 {
    answer(|_| unsafe {
        *id = executable.as_ref().ok_or(INVALID_HANDLE)?.id;
        Ok(())
    })
}

/// As many as there is room for; without a place, how many there are.
unsafe fn give<T: Copy>(found: &[T], into: *mut T, count: *mut usize) {
    unsafe {
        if !into.is_null() {
            let room = (*count).min(found.len());
            found[..room].iter().enumerate().for_each(|(index, value)| into.add(index).write(*value));
        }
        *count = found.len();
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphGetNodes(
    graph: *mut Graph,
    nodes: *mut *mut Node,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        give(&graph.as_ref().ok_or(INVALID_HANDLE)?.nodes, nodes, count);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphGetRootNodes(
    graph: *mut Graph,
    nodes: *mut *mut Node,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        let all = graph.as_ref().ok_or(INVALID_HANDLE)?.nodes.iter().copied();
        give(&all.filter(|node| (**node).after.is_empty()).collect::<Vec<_>>(), nodes, count);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphGetEdges(
    graph: *mut Graph,
    from: *mut *mut Node,
    to: *mut *mut Node,
    _: *mut c_void,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        let nodes = graph.as_ref().ok_or(INVALID_HANDLE)?.nodes.iter().copied();
        let edges = nodes.flat_map(|node| (*node).after.iter().map(move |before| (*before, node)));
        let (sources, targets): (Vec<_>, Vec<_>) = edges.unzip();
        let mut room = *count;
        give(&sources, from, &mut room);
        give(&targets, to, count);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeGetDependencies(
    node: *mut Node,
    nodes: *mut *mut Node,
    _: *mut c_void,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        give(&node.as_ref().ok_or(INVALID_HANDLE)?.after, nodes, count);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeGetDependentNodes(
    node: *mut Node,
    nodes: *mut *mut Node,
    _: *mut c_void,
    count: *mut usize,
) -> i32 {
    answer(|_| unsafe {
        let graph = node.as_ref().ok_or(INVALID_HANDLE)?.graph;
        let behind = (*graph).nodes.iter().copied().filter(|other| (**other).after.contains(&node));
        give(&behind.collect::<Vec<_>>(), nodes, count);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphAddDependencies(
    _: *mut Graph,
    from: *const *mut Node,
    to: *const *mut Node,
    _: *const c_void,
    count: usize,
) -> i32 {
    answer(|_| unsafe {
        for (from, to) in list(from, count).iter().zip(list(to, count)) {
            (**to).after.push(*from);
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphRemoveDependencies(
    _: *mut Graph,
    from: *const *mut Node,
    to: *const *mut Node,
    _: *const c_void,
    count: usize,
) -> i32 {
    answer(|_| unsafe {
        for (from, to) in list(from, count).iter().zip(list(to, count)) {
            (**to).after.retain(|before| before != from);
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphDestroyNode(node: *mut Node) -> i32 {
    answer(|_| unsafe {
        let graph = node.as_ref().ok_or(INVALID_HANDLE)?.graph;
        (*graph).nodes.retain(|other| *other != node);
        for other in &(*graph).nodes {
            (**other).after.retain(|before| *before != node);
        }
        Node::destroy(node);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphClone(clone: *mut *mut Graph, graph: *mut Graph) -> i32 {
    answer(|host| unsafe {
        let original = graph.as_ref().ok_or(INVALID_HANDLE)?;
        original.refuse_choices()?;
        let nodes = original.ordered()?;
        let copy = Graph::create(host);
        for node in nodes {
            let Node { operation, parameters, after, .. } = &*node;
            let cloned = |before: &*mut Node| {
                let mut nodes = (*copy).nodes.iter().copied();
                nodes.find(|node| (**node).original == *before).unwrap_or(*before)
            };
            let after: Vec<_> = after.iter().map(cloned).collect();
            let added = Graph::add(copy, operation.clone(), parameters.clone(), &after);
            (*added).original = node;
        }
        *clone = copy;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeFindInClone(
    found: *mut *mut Node,
    node: *mut Node,
    clone: *mut Graph,
) -> i32 {
    answer(|_| unsafe {
        let mut nodes = clone.as_ref().ok_or(INVALID_HANDLE)?.nodes.iter().copied();
        *found = nodes.find(|other| (**other).original == node).ok_or(INVALID_VALUE)?;
        Ok(())
    })
}

unsafe fn step<'a>(executable: *mut Executable, node: *mut Node) -> Answer<&'a mut Step> {
    let executable = unsafe { executable.as_mut() }.ok_or(INVALID_HANDLE)?;
    executable.steps.iter_mut().find(|step| step.node == node).ok_or(INVALID_VALUE)
}

unsafe fn steps(graph: *mut Graph) -> Answer<Vec<Step>> {
    let nodes = unsafe { graph.as_ref().ok_or(INVALID_HANDLE)?.ordered()? };
    let step = |node: *mut Node| Ok(Step { node, operation: unsafe { (*node).settled()? }, enabled: true });
    nodes.into_iter().map(step).collect()
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphInstantiate(
    executable: *mut *mut Executable,
    graph: *mut Graph,
    flags: u64,
) -> i32 {
    answer(|host| unsafe {
        let (steps, conditions) = (steps(graph)?, (*graph).all_conditions());
        host.graphs += 1;
        *executable = Box::into_raw(Box::new(Executable { id: host.graphs, flags, steps, conditions }));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphInstantiateWithFlags(
    executable: *mut *mut Executable,
    graph: *mut Graph,
    flags: u64,
) -> i32 {
    unsafe { cudaGraphInstantiate(executable, graph, flags) }
}

/// `cudaGraphInstantiateParams`.
#[repr(C)]
pub struct Instantiation {
    flags: u64,
    stream: *mut Stream,
    wrong: *mut Node,
    result: i32,
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphInstantiateWithParams(
    executable: *mut *mut Executable,
    graph: *mut Graph,
    parameters: *mut Instantiation,
) -> i32 {
    unsafe {
        (*parameters).wrong = std::ptr::null_mut();
        (*parameters).result = 0;
        cudaGraphInstantiate(executable, graph, (*parameters).flags)
    }
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecGetFlags(executable: *mut Executable, flags: *mut u64) -> i32 {
    answer(|_| unsafe {
        *flags = executable.as_ref().ok_or(INVALID_HANDLE)?.flags;
        Ok(())
    })
}

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
pub struct Updated {
    result: i32,
    node: *mut Node,
    from: *mut Node,
}

/// `cudaGraphExecUpdateResult`: the graph has other nodes, or one of another kind.
const TOPOLOGY_CHANGED: i32 = 2;
const KIND_CHANGED: i32 = 3;

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecUpdate(
    executable: *mut Executable,
    graph: *mut Graph,
    updated: *mut Updated,
) -> i32 {
    answer(|_| unsafe {
        let old = executable.as_mut().ok_or(INVALID_HANDLE)?;
        let new = steps(graph)?;
        let mut pairs = old.steps.iter().zip(&new);
        let changed = pairs.find(|(old, new)| old.operation.kind() != new.operation.kind());
        let (result, node) = match changed {
            _ if old.steps.len() != new.len() => (TOPOLOGY_CHANGED, std::ptr::null_mut()),
            Some((_, new)) => (KIND_CHANGED, new.node),
            None => (0, std::ptr::null_mut()),
        };
        put(updated, Updated { result, node, from: std::ptr::null_mut() });
        if result != 0 {
            return Err(GRAPH_UPDATE_FAILED);
        }
        for (old, new) in old.steps.iter_mut().zip(new) {
            old.operation = new.operation;
        }
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeSetEnabled(
    executable: *mut Executable,
    node: *mut Node,
    enabled: u32,
) -> i32 {
    answer(|_| unsafe {
        step(executable, node)?.enabled = enabled != 0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphNodeGetEnabled(
    executable: *mut Executable,
    node: *mut Node,
    enabled: *mut u32,
) -> i32 {
    answer(|_| unsafe {
        *enabled = step(executable, node)?.enabled.into();
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphUpload(_: *mut Executable, _: *mut Stream) -> i32 {
    answer(|_| Ok(()))
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphLaunch(executable: *mut Executable, stream: *mut Stream) -> i32 {
    answer(|host| unsafe {
        let Executable { steps, conditions, .. } = executable.as_ref().ok_or(INVALID_HANDLE)?;
        let steps = steps.iter().filter(|step| step.enabled).map(|step| step.operation.clone());
        let operations = conditions.iter().map(Condition::begin).chain(steps).collect();
        host.submit(stream, Operation::All(operations))
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaGraphExecDestroy(executable: *mut Executable) -> i32 {
    answer(|_| {
        if executable.is_null() {
            return Err(INVALID_VALUE);
        }
        drop(unsafe { Box::from_raw(executable) });
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGraphMemTrim(_: i32) -> i32 {
    answer(|_| Ok(()))
}

/// Memory of graphs is not counted apart.
#[no_mangle]
pub unsafe extern "C" fn cudaDeviceGetGraphMemAttribute(_: i32, _: i32, value: *mut u64) -> i32 {
    answer(|_| unsafe {
        *value = 0;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn cudaDeviceSetGraphMemAttribute(_: i32, _: i32, _: *const u64) -> i32 {
    answer(|_| Ok(()))
}
