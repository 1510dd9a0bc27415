namespace Sc2Bridge.Streaming.Logging;

/// <summary>
/// Rows of steps whose deliveries are under way, in order: each is written when only the log still holds its frame, so
/// that it has the encodings that were made for subscribers. For one thread.
/// </summary>
/// <param name="probe">Reads what was made of a frame.</param>
/// <param name="sampler">Measures some of the rest.</param>
/// <param name="write">Writes a row; takes the frame's message length, and its header, where there is a frame.</param>
internal sealed class PendingRows(CodecProbe probe, CodecSampler sampler, Action<StepRow, int, FrameHeader?> write)
{
    // A row does not wait long for who is late, as it would be lost where the bridge is killed.
    private const long MostHeldBytes = 4L << 20;

    private readonly Queue<(StepRow Row, ObservationFrame? Frame)> _rows = new();

    // The newest one written of each perspective, held.
    private readonly Dictionary<uint, ObservationFrame> _before = [];
    private CodecSampler.Measurement? _measured;
    private long _heldBytes;

    /// <summary>How many wait.</summary>
    public int Count => _rows.Count;

    private bool HoldsTooMuch => _heldBytes > MostHeldBytes;

    /// <summary>One more row.</summary>
    /// <param name="row">What is known of it.</param>
    /// <param name="frame">Its hold is taken over; null for a step that the log never got.</param>
    public void Add(StepRow row, ObservationFrame? frame)
    {
        _rows.Enqueue((row, frame));
        _heldBytes += frame?.Capacity ?? 0;
    }

    /// <summary>Writes the rows that need not wait any longer.</summary>
    /// <param name="all">Whether none is to wait, for a measurement neither.</param>
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
                if (waits && !frame.IsHeldOnce)
                {
                    return;
                }

                row = probe.Read(frame, row);
                _measured = waits ? sampler.TryBegin(Before(frame), frame, row) : null;
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
                Keep(frame);
            }
        }
    }

    /// <summary>Releases every frame.</summary>
    public void Clear()
    {
        foreach (var frame in _rows.Select(row => row.Frame).Concat(_before.Values))
        {
            frame?.Release();
        }

        _rows.Clear();
        _before.Clear();
    }

    private ObservationFrame? Before(ObservationFrame frame) =>
        frame.Jump is null && _before.TryGetValue(frame.Header.Perspective, out var before)
        && before.Header.Step + 1 == frame.Header.Step ? before : null;

    private void Keep(ObservationFrame frame)
    {
        if (_before.Remove(frame.Header.Perspective, out var before))
        {
            before.Release();
        }

        _before[frame.Header.Perspective] = frame;
    }
}
