using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>An agent that plays, as whoever collects its actions sees it.</summary>
internal interface IActionSender
{
    /// <summary>Unique among those of a hub.</summary>
    string Name { get; }

    /// <summary>The higher one commands a unit that two want.</summary>
    uint Priority { get; }

    /// <summary>Grows from one subscription to the next: of equal priorities the first goes before the others.</summary>
    long Order { get; }

    /// <summary>Hears what became of its actions; called once for each <see cref="AgentActions"/>.</summary>
    void Tell(AgentActions done);
}
