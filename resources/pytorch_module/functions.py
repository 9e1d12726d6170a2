def max_pool(x, kernel, stride, dilation, padding, size):
    """For uneven padding, and windows that reach past it. padding: top, left, bottom, right."""
    x = F.pad(x, _to_size(x, kernel, stride, dilation, padding, size), value=float("-inf"))
    return F.max_pool2d(x, kernel, stride, dilation=dilation)


def average_pool(x, kernel, stride, padding, size, counts_padding):
    """The same, divided by how many elements of a window lie in the image, or, with counts_padding, in its padding."""
    top, left, bottom, right = padding
    counted = F.pad(torch.ones_like(x[:1, :1]), (left, right, top, bottom), value=1.0 if counts_padding else 0.0)
    rest = [more - given for more, given in zip(_to_size(x, kernel, stride, (1, 1), padding, size), (left, right, top, bottom))]
    x = F.pad(F.pad(x, (left, right, top, bottom)), rest)
    return F.avg_pool2d(x, kernel, stride) / F.avg_pool2d(F.pad(counted, rest), kernel, stride)


def _to_size(x, kernel, stride, dilation, padding, size):
    """left, right, top, bottom, with what the last windows need."""
    sides = []
    for axis in (1, 0):
        reach = (size[axis] - 1) * stride[axis] + dilation[axis] * (kernel[axis] - 1) + 1
        sides += [padding[axis], reach - x.shape[2 + axis] - padding[axis]]
    return sides


@contextlib.contextmanager
def tf32_settings(which):
    """On a GPU that has TF32; the settings before come back. They are those of the whole process."""
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul
    convolutions, name, values = cudnn, "allow_tf32", (False, True)
    if hasattr(cudnn, "conv"):  # PyTorch refuses to read allow_tf32 where a program uses these
        convolutions, name, values = cudnn.conv, "fp32_precision", ("ieee", "tf32")
    before = [(kind, getattr(kind, name)) for kind in (convolutions, products)]
    try:
        setattr(convolutions, name, values[which != "none"])
        setattr(products, name, values[which == "all"])
        yield
    finally:
        for kind, value in before:
            setattr(kind, name, value)
