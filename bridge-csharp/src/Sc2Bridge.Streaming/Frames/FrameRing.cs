namespace Sc2Bridge.Streaming;

/// <summary>
/// A first-in, first-out ring of frames that counts their bytes. It holds each frame once; not thread-safe.
/// </summary>
internal sealed class FrameRing
{
    private ObservationFrame?[] _frames = new ObservationFrame?[4];
    private int _first;
    private long _entered;

    public int Count { get; private set; }

    public long Bytes { get; private set; }

    /// <summary>Frames that were ever put in, and those that left again.</summary>
    public (long Entered, long Left) Passage => (_entered, _entered - Count);

    public void Enqueue(ObservationFrame frame)
    {
        if (Count == _frames.Length)
        {
            var larger = new ObservationFrame?[Count * 2];
            for (var i = 0; i < Count; i++)
            {
                larger[i] = _frames[(_first + i) % Count];
            }

            _frames = larger;
            _first = 0;
        }

        frame.Retain();
        _frames[(_first + Count) % _frames.Length] = frame;
        Count++;
        _entered++;
        Bytes += Size(frame);
    }

    /// <summary>The oldest frame; its hold passes to the caller.</summary>
    public ObservationFrame Dequeue()
    {
        var frame = _frames[_first]!;
        _frames[_first] = null;
        _first = (_first + 1) % _frames.Length;
        Count--;
        Bytes -= Size(frame);
        return frame;
    }

    public void Clear()
    {
        while (Count > 0)
        {
            Dequeue().Release();
        }
    }

    public static int Size(ObservationFrame frame) => frame.EventMessage.Length;
}
