using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a subscription is tied to, once a match is announced that is what was asked for. For one thread at a time.
/// </summary>
internal sealed class MatchBinding(V1.SubscribeRequest request, SubscriberInfo info)
{
    /// <summary>Null until it is tied to one.</summary>
    public MatchDescription? Match { get; private set; }

    /// <summary>Whose eyes it has; null until that is known.</summary>
    public uint? Perspective { get; private set; } = request.HasPerspective ? request.Perspective : null;

    /// <summary>The side that it plays, or played; null where it only watches, or that is not known yet.</summary>
    public uint? Side => request.CanAct && Match is not null ? Perspective : null;

    /// <summary>What comes of a full queue; unspecified until that is known.</summary>
    public Overflow Overflow { get; private set; } = request.Overflow;

    /// <summary>Ties it.</summary>
    /// <returns>Why it cannot be; null where it was.</returns>
    public RequestRefusedException? Bind(MatchDescription description)
    {
        if (SubscriptionRequest.Mismatch(request, description) is { } refusal)
        {
            return refusal;
        }

        Match = description;
        Perspective = SubscriptionRequest.Perspective(request, description);
        if (Overflow == Overflow.Unspecified)
        {
            Overflow = description.Realtime ? Overflow.End : Overflow.Pause;
        }

        return null;
    }

    /// <summary>Whether a frame is one of those that it is to be offered.</summary>
    public bool Accepts(in FrameHeader frame) =>
        (info.EveryPerspective || frame.Perspective == Perspective) && frame.MatchId == Match?.MatchId;
}
