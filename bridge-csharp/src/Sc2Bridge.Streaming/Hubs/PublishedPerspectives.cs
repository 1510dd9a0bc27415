using System.Collections.Concurrent;

namespace Sc2Bridge.Streaming;

/// <summary>The state of each perspective that a hub publishes. Thread-safe.</summary>
public sealed class PublishedPerspectives
{
    private readonly ConcurrentDictionary<uint, PublishedPerspective> _all = new();
    private readonly Func<uint, PublishedPerspective> _make;

    /// <param name="time">The clock of the deadlines.</param>
    internal PublishedPerspectives(TimeProvider time) => _make = _ => new PublishedPerspective(time);

    /// <summary>
    /// When the game's answer with a step had arrived, by <see cref="MonotonicClock"/>; null where the step is unknown
    /// or more than 8,192 steps ago.
    /// </summary>
    public long? ObservedNs(uint perspective, ulong step) =>
        _all.TryGetValue(perspective, out var published) ? published.ObservedNs(step) : null;

    /// <summary>
    /// The newest step of a perspective, of the match that runs or ran last; 0 before its first. Where there is no such
    /// perspective, how far the match is.
    /// </summary>
    public ulong NewestStep(uint perspective) =>
        _all.TryGetValue(perspective, out var published)
            ? published.Step
            : _all.Values.Select(any => any.Step).DefaultIfEmpty().Max();

    /// <summary>A perspective's state, made on the first call.</summary>
    internal PublishedPerspective Of(uint perspective) => _all.GetOrAdd(perspective, _make);

    /// <summary>The newest frame of a perspective, where it is kept; what is returned is held for the caller.</summary>
    internal ObservationFrame? Kept(uint perspective) => _all.TryGetValue(perspective, out var published) ? published.Kept : null;

    /// <summary>The match is over.</summary>
    internal void End()
    {
        foreach (var perspective in _all.Values)
        {
            perspective.LetGo();
        }
    }

    /// <summary>Another match begins.</summary>
    internal void Begin()
    {
        foreach (var perspective in _all.Values)
        {
            perspective.Begin();
        }
    }

    internal void Dispose()
    {
        foreach (var perspective in _all.Values)
        {
            perspective.Dispose();
        }
    }
}
