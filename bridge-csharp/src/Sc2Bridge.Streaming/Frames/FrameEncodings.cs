using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Another form of a frame (JSON text, a smaller selection of parts …): stateless, compared by equality.
/// </summary>
public interface IFrameEncoding
{
    /// <summary>What it makes, for logs and meters.</summary>
    EncodingKind Kind => EncodingKind.Other;

    /// <summary>Makes the form; called at most once for a frame.</summary>
    /// <returns>A buffer that the frame takes over.</returns>
    MessageBuffer Encode(ObservationFrame frame);
}

/// <summary>The forms made of one frame so far.</summary>
internal sealed class FrameEncodings
{
    private readonly Lock _lock = new();
    private List<(IFrameEncoding Encoding, Lazy<MessageBuffer> Buffer)>? _made;

    /// <summary>The form, made now if nobody asked before; others who ask meanwhile wait for it.</summary>
    internal ReadOnlyMemory<byte> Get(ObservationFrame frame, IFrameEncoding encoding)
    {
        Lazy<MessageBuffer>? found = null;
        lock (_lock)
        {
            _made ??= new(2);
            foreach (var (known, buffer) in _made)
            {
                if (known.Equals(encoding))
                {
                    found = buffer;
                    break;
                }
            }

            if (found is null)
            {
                found = new(() => Make(frame, encoding));
                _made.Add((encoding, found));
            }
        }

        return found.Value.Written;
    }

    /// <summary>Gives every form's buffer back.</summary>
    internal void Release()
    {
        foreach (var (_, buffer) in _made ?? [])
        {
            if (buffer.IsValueCreated)
            {
                buffer.Value.Release();
            }
        }
    }

    private static MessageBuffer Make(ObservationFrame frame, IFrameEncoding encoding)
    {
        using var lap = EncodingClock.Run(frame);
        var started = MonotonicClock.NowNs;
        var buffer = encoding.Encode(frame);
        frame.Made(encoding.Kind, buffer.Length, started);
        return buffer;
    }
}
