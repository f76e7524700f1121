"""Calls that repeat an earlier one: their arguments are kept as the library reads them, and only addresses and the stream
are filled in. A repeated call does not go through PyTorch's dispatcher where that would do nothing but call it back."""

import torch

# Prepared calls that are kept, the last used. What they describe is in the key; addresses are not.
MOST = 1024
_prepared = {}

# Types of tensors that leave nothing to the dispatcher.
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


def _key(operator, inputs, numbers):
    """All that the arguments say of a call, but where tensors are; numbers that compare equal are the same."""
    parts = [operator, numbers]
    for one in inputs:
        if one is None:
            parts.append(None)
        else:
            parts += (one.shape, one.stride(), one.dtype, one.get_device(), one.is_neg())
    return tuple(parts)


def take(operator, inputs, numbers):
    """The prepared call; None where there is none, or another thread has it."""
    return _prepared.pop(_key(operator, inputs, numbers), None)


def take_past_dispatcher(operator, inputs, numbers):
    """The same, where the dispatcher would do nothing but run it: None where something else is to see the operator."""
    if torch.compiler.is_compiling():  # which torch.compile takes for true, and looks no further
        return None
    if not _dispatcher_is_idle():
        return None
    grad = torch.is_grad_enabled()
    for one in inputs:
        if one is not None and (type(one) not in _TENSORS or (grad and one.requires_grad)):
            return None
    try:
        return _prepared.pop(_key(operator, inputs, numbers), None)
    except TypeError:  # no argument of the operator: it says so
        return None


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
        descriptors, at = self._call.tensors, 0
        for one in inputs:
            if one is not None:
                descriptors[at].data = one.data_ptr()
                at += 1
        for one in results:
            descriptors[at].data = one.data_ptr()
            at += 1
        self._call.run(_raw_stream(self._device))
        _prepared[self._key] = self  # behind all others
        if len(_prepared) > MOST:
            try:
                _prepared.pop(next(iter(_prepared)), None)
            except (RuntimeError, StopIteration):  # another thread has just changed the table
                pass
