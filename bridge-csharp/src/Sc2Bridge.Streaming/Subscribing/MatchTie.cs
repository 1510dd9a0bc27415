using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// What a subscription is tied to, once a match is announced that is what was asked for. For one thread at a time.
/// </summary>
internal sealed class MatchTie(V1.Subscription request, SubscriberInfo info)
{
    /// <summary>Null until it is tied to one.</summary>
    public MatchDescription? Match { get; private set; }

    /// <summary>Whose eyes it has; null until that is known.</summary>
    public uint? Perspective { get; private set; } = request.HasPerspective ? request.Perspective : null;

    /// <summary>The side that it plays, or played; null where it only watches, or that is not known yet.</summary>
    public uint? Side => request.Plays && Match is not null ? Perspective : null;

    /// <summary>What comes of a full queue; unspecified until that is known.</summary>
    public WhenFull WhenFull { get; private set; } = request.WhenFull;

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
        if (WhenFull == WhenFull.Unspecified)
        {
            WhenFull = description.Realtime ? WhenFull.End : WhenFull.Pause;
        }

        return null;
    }

    /// <summary>Whether a frame is one of those that it is to be offered.</summary>
    public bool Accepts(in FrameHeader frame) =>
        (info.EveryPerspective || frame.Perspective == Perspective) && frame.Match == Match?.Match;
}
