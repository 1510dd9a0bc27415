
namespace Sc2Bridge.Streaming;

/// <summary>
/// A side of a match whose player somebody commands who is no agent of the hub's, such as an unmodified bot: what it
/// does is told here.
/// </summary>
public interface IPlayedElsewhere
{
#pragma warning disable CA1003 // Plain values, as those of HubNews, which gets them.
    /// <summary>
    /// It is known what became of actions, and whoever sent them was told before. Raised on the thread that heard of
    /// it: take it and return.
    /// </summary>
    event Action<ActionReport>? Acted;
#pragma warning restore CA1003
}
