"""Calls that repeat an earlier one: their arguments are kept as the library reads them, and only addresses and the stream
are filled in. A repeated call does not go through PyTorch's dispatcher where that would do nothing but call it back."""

import torch

# Prepared calls that are kept, the last used. What they describe is in the key; addresses are not.
MOST = 1024
_prepared = {}

# Types of numbers whose value is all there is to them, and of tensors that leave nothing to the dispatcher.
_NUMBERS = frozenset((int, float, bool, str, type(None), torch.dtype))
_TENSORS = frozenset((torch.Tensor, torch.nn.Parameter))

try:
    from torch._C import _cuda_getCurrentRawStream as _raw_stream
except ImportError:
    def _raw_stream(device):
        return torch.cuda.current_stream(device).cuda_stream

try:
    from torch._C import _is_tracing, _len_torch_dispatch_stack, _len_torch_function_stack
    from torch._C._autograd import _profiler_enabled
    from torch._C._functorch import peek_interpreter_stack
    from torch.autograd import forward_ad

    forward_ad._current_level  # noqa: B018: that it is there

    def _dispatcher_is_idle():
        """No mode, transform, profiler or tracer looks at the operators that are called."""
        return (_len_torch_dispatch_stack() == 0 and _len_torch_function_stack() == 0 and peek_interpreter_stack() is None
                and not _profiler_enabled() and not _is_tracing() and forward_ad._current_level < 0)
except (ImportError, AttributeError):  # a PyTorch that has other names for them: its dispatcher knows
    def _dispatcher_is_idle():
        return False


def may_skip_dispatcher(tensors, numbers):
    """Not under torch.compile, which is to see the operator: its caller has asked before."""
    grad = torch.is_grad_enabled()
    for tensor in tensors:
        if tensor is None:
            continue
        if type(tensor) not in _TENSORS or (grad and tensor.requires_grad) or tensor.is_neg():
            return False
    for number in numbers:
        if type(number) not in _NUMBERS:
            return False
    return _dispatcher_is_idle()


def _described(tensor):
    """All that a descriptor says of a tensor, but where it is."""
    return None if tensor is None else (tensor.shape, tensor.stride(), tensor.dtype, tensor.get_device(), tensor.is_neg())


class Prepared:
    """A call of the library without addresses. One thread uses it at a time: it is taken out of the table meanwhile."""

    __slots__ = ("_key", "_call", "_results", "_device")

    def __init__(self, operator, inputs, numbers, call, results):
        self._key, self._call = _key(operator, inputs, numbers), call
        self._results = [(one.shape, one.stride(), one.dtype) for one in results]
        self._device = inputs[0].get_device()

    def run(self, inputs):
        """New results of the inputs, None for a tensor that the call does not have."""
        new = inputs[0].new_empty_strided
        results = [new(shape, stride, dtype=dtype) for shape, stride, dtype in self._results]
        self.enqueue(inputs, results)
        return results

    def enqueue(self, inputs, results):
        descriptors = iter(self._call.tensors)
        for tensors in (inputs, results):
            for tensor in tensors:
                if tensor is not None:
                    next(descriptors).data = tensor.data_ptr()
        self._call.run(_raw_stream(self._device))
        _put_back(self._key, self)


def _key(operator, inputs, numbers):
    return (operator, numbers, *map(_described, inputs))


def take(operator, inputs, numbers):
    """None where there is none, or another thread has it."""
    return _prepared.pop(_key(operator, inputs, numbers), None)


def _put_back(key, prepared):
    _prepared[key] = prepared  # behind all others
    if len(_prepared) > MOST:
        try:
            _prepared.pop(next(iter(_prepared)), None)
        except (RuntimeError, StopIteration):  # another thread has just changed the table
            pass
