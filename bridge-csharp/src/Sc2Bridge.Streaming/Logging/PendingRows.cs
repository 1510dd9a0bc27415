namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Rows of steps whose frames are still in use, in order. A row is written when only the log still references the row's
/// frame. The row then has the figures of all encodings for subscribers. Not thread-safe.
/// </summary>
/// <param name="probe">Reads the figures of encodings that were made.</param>
/// <param name="sampler">Measures some of the encodings that were not made.</param>
/// <param name="write">
/// Writes a row. Gets the row, the length of the frame's message, and the frame's header. The header is null if the frame is missing.
/// </param>
internal sealed class PendingRows(CodecProbe probe, CodecSampler sampler, Action<StepRow, int, FrameHeader?> write)
{
    // If the frames of the waiting rows have more bytes, rows no longer wait for slow subscribers. So a killed bridge loses few rows.
    private const long MostHeldBytes = 4L << 20;

    private readonly Queue<(StepRow Row, ObservationFrame? Frame)> _rows = new();

    // The newest written frame of each perspective, with a reference.
    private readonly Dictionary<uint, ObservationFrame> _lastWritten = [];
    private CodecSampler.Measurement? _measured;
    private long _heldBytes;

    public int Count => _rows.Count;

    private bool HoldsTooMuch => _heldBytes > MostHeldBytes;

    /// <summary>Adds a row.</summary>
    /// <param name="row">The known values of the row.</param>
    /// <param name="frame">The row's frame. This object takes over the caller's reference. Null if the log did not receive the step.</param>
    public void Add(StepRow row, ObservationFrame? frame)
    {
        _rows.Enqueue((row, frame));
        _heldBytes += frame?.Capacity ?? 0;
    }

    /// <summary>Writes the rows that are ready.</summary>
    /// <param name="all">Whether to write all rows at once, without waiting for measurements.</param>
    public void WriteReady(bool all)
    {
        while (_rows.TryPeek(out var next))
        {
            var (row, frame) = next;
            if (frame is null)
            {
                _rows.Dequeue();
                write(row, 0, null);
                continue;
            }

            var waits = !all && !HoldsTooMuch;
            if (_measured is null)
            {
                if (waits && !frame.HasOneReference)
                {
                    return;
                }

                row = probe.Read(frame, row);
                _measured = waits ? sampler.TryBegin(PreviousOf(frame), frame, row) : null;
            }

            if (waits && _measured is { Row: null })
            {
                return;
            }

            row = _measured?.Row ?? probe.Read(frame, row);
            _measured = null;
            _rows.Dequeue();
            _heldBytes -= frame.Capacity;
            try
            {
                write(row, frame.EventMessage.Length, frame.Header);
            }
            finally
            {
                KeepAsLastWritten(frame);
            }
        }
    }

    /// <summary>Releases all frames.</summary>
    public void Clear()
    {
        foreach (var frame in _rows.Select(row => row.Frame).Concat(_lastWritten.Values))
        {
            frame?.Release();
        }

        _rows.Clear();
        _lastWritten.Clear();
    }

    private ObservationFrame? PreviousOf(ObservationFrame frame) =>
        frame.Jump is null && _lastWritten.TryGetValue(frame.Header.Perspective, out var before)
        && before.Header.Step + 1 == frame.Header.Step ? before : null;

    private void KeepAsLastWritten(ObservationFrame frame)
    {
        if (_lastWritten.Remove(frame.Header.Perspective, out var before))
        {
            before.Release();
        }

        _lastWritten[frame.Header.Perspective] = frame;
    }
}
