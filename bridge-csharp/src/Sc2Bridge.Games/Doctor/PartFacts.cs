using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The observations and times of one match of the check, in one game.</summary>
internal sealed class PartFacts
{
    private readonly Dictionary<string, List<double>> _times = [];
    private (uint Loop, TimeSpan At)? _first;

    /// <summary>The fields of the observations, and of the answers that <see cref="AddMatch"/> gets.</summary>
    internal FieldPresence Fields { get; } = new();

    /// <summary>The match's description; null before the match began.</summary>
    internal V1.MatchDescription? Match { get; private set; }

    /// <summary>The number of observations.</summary>
    internal int Observations { get; private set; }

    /// <summary>Game loops in a second, from the first observation to the last; null if only one observation came.</summary>
    internal double? LoopsPerSecond { get; private set; }

    /// <summary>The milliseconds that each request took, by the request's name.</summary>
    internal IReadOnlyDictionary<string, List<double>> Times => _times;

    /// <summary>Adds the game's information about the match.</summary>
    internal void AddMatch(V1.MatchDescription match)
    {
        Match = match;
        Fields.Add(ResponseGameInfo.Descriptor, match.GameInfo.ToByteArray(), "game_info.");
        Fields.Add(ResponseData.Descriptor, match.Data.ToByteArray(), "data.");
        Fields.Add(ResponsePing.Descriptor, match.Ping.ToByteArray(), "ping.");
    }

    /// <summary>Adds an observation, and releases its frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="at">When it arrived, on any clock.</param>
    internal void Add(ObservationFrame frame, TimeSpan at)
    {
        Fields.Add(ResponseObservation.Descriptor, frame.Observation.Span);
        Observations++;
        var loop = frame.Header.GameLoop;
        _first ??= (loop, at);
        LoopsPerSecond = at > _first.Value.At ? (loop - _first.Value.Loop) / (at - _first.Value.At).TotalSeconds : null;
        frame.Release();
    }

    /// <summary>Adds the time that a request took.</summary>
    internal void AddTime(string request, TimeSpan time)
    {
        if (!_times.TryGetValue(request, out var times))
        {
            _times[request] = times = [];
        }

        times.Add(time.TotalMilliseconds);
    }
}
