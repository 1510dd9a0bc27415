namespace Sc2Bridge.Streaming;

/// <summary>The smaller frames made of one frame so far.</summary>
internal sealed class FrameSelections
{
    private readonly Lock _lock = new();
    private List<(PartSet LeftOut, ObservationFrame Frame)>? _made;

    /// <summary>The frame without these parts; the first who asks makes it while others wait.</summary>
    public ObservationFrame Get(ObservationFrame frame, PartSet leaveOut)
    {
        lock (_lock)
        {
            foreach (var (known, made) in _made ??= new(2))
            {
                if (known == leaveOut)
                {
                    return made;
                }
            }

            var buffer = PartSelection.Apply(frame.Observation.Span, leaveOut);
            var selected = frame;
            if (buffer is not null)
            {
                selected = ObservationFrame.Create(buffer, 0, buffer.Length, frame.Header);
                selected.LeftOut = leaveOut;
                selected.Clock = frame.Clock;
            }

            _made.Add((leaveOut, selected));
            return selected;
        }
    }

    /// <summary>Lets go of every smaller frame; <paramref name="of"/> itself may stand among them.</summary>
    public void Release(ObservationFrame of)
    {
        foreach (var (_, made) in _made ?? [])
        {
            if (made != of)
            {
                made.Release();
            }
        }
    }
}
