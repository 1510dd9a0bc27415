using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Where in a recording a game is: at one observation, from which it goes on to later ones. What those that are passed
/// over alone carried is kept for the next that is given. Not thread-safe.
/// </summary>
internal sealed class MatchPosition : IDisposable
{
    // The stub that the game can send last is no place.
    private const uint StubLoop = uint.MaxValue;

    private readonly ObservationReader _reader;
    private readonly RequestTotals _totals;
    private readonly ObservationEvents _skipped = new();
    private readonly ArrayBufferWriter<byte> _changed = new();
    private readonly List<SC2APIProtocol.Action> _actions = [];
    private Place _current = new();
    private Place _next = new();
    private bool? _hasNext;
    private bool _given;

    /// <summary>Begins at the first observation.</summary>
    /// <param name="reader">Of one perspective; disposed with this.</param>
    /// <param name="totals">Counts.</param>
    /// <exception cref="RecordingException">There is none.</exception>
    public MatchPosition(ObservationReader reader, RequestTotals totals)
    {
        (_reader, _totals) = (reader, totals);
        Begin();
    }

    /// <summary>The game loop.</summary>
    public uint Loop => _current.Loop;

    public ulong Step => _current.Step;

    /// <summary>The observation here, as it was recorded.</summary>
    public ReadOnlySpan<byte> Observation => _current.Bytes.WrittenSpan;

    /// <summary>The game loop of the observation behind this one; null where this is the last.</summary>
    public uint? NextLoop => HasNext ? _next.Loop : null;

    /// <summary>Whether the observation here has the match's results.</summary>
    public bool TellsResults => _current.HasResults || (NextLoop == Loop && _next.HasResults);

    /// <summary>Why the recording ends before its end, as one line; null where it does not.</summary>
    public string? Problem { get; private set; }

    private bool HasNext => _hasNext ??= ReadNext();

    /// <summary>Goes back to the first observation.</summary>
    /// <exception cref="RecordingException">The file cannot be read there any more.</exception>
    public void Rewind()
    {
        _reader.SeekIndex(0);
        Begin();
    }

    /// <summary>Goes back to the observation of a loop, which was seen before.</summary>
    /// <exception cref="RecordingException">The file cannot be read there any more.</exception>
    public void GoBack(uint loop)
    {
        _reader.SeekLoop(loop);
        Begin();
    }

    /// <summary>Goes on to the first observation of a loop or of a later one, or to the last.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="left">Nobody waits for it any more.</param>
    /// <returns>Whether it is there.</returns>
    public bool MoveTo(long loop, CancellationToken left)
    {
        while (Loop < loop && HasNext)
        {
            left.ThrowIfCancellationRequested();
            Shift();
        }

        return Loop >= loop;
    }

    /// <summary>Goes on to the last observation that is not later than a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="left">Nobody waits for it any more.</param>
    public void MoveUpTo(long loop, CancellationToken left)
    {
        while (NextLoop <= loop)
        {
            left.ThrowIfCancellationRequested();
            Shift();
        }
    }

    /// <summary>The observation as the client gets it: with the events of what was passed over, told once.</summary>
    /// <param name="results">How the match ended, for an observation that is given again; none before.</param>
    /// <returns>Valid until the next call of any method here.</returns>
    public ReadOnlySpan<byte> Give(IReadOnlyCollection<PlayerResult> results)
    {
        if (_given && NextLoop == Loop)
        {
            // The game was asked twice at this loop when it was recorded, too.
            Shift();
        }

        _totals.Observations++;
        _changed.ResetWrittenCount();
        if (_given)
        {
            ObservationEvents.Write(Observation, again: true, _current.HasResults ? [] : results, _changed);
            return _changed.WrittenSpan;
        }

        _given = true;
        if (_skipped.IsEmpty)
        {
            return Observation;
        }

        _skipped.Write(Observation, _changed);
        _skipped.Clear();
        return _changed.WrittenSpan;
    }

    /// <summary>What the observations arrived at since the last call tell of the recorded player's actions.</summary>
    public IReadOnlyList<SC2APIProtocol.Action> TakeActions()
    {
        if (_actions.Count == 0)
        {
            return [];
        }

        SC2APIProtocol.Action[] taken = [.. _actions];
        _actions.Clear();
        return taken;
    }

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    private void Begin()
    {
        (_hasNext, _given) = (null, true);
        _skipped.Clear();
        if (!HasNext)
        {
            throw new RecordingException(Problem ?? "the recording has no observation here");
        }

        Shift();
        _actions.Clear();
    }

    private void Shift()
    {
        if (!_given)
        {
            _skipped.Add(Observation);
            _totals.Skipped++;
        }

        (_current, _next) = (_next, _current);
        (_hasNext, _given) = (null, false);
        try
        {
            _actions.AddRange(ObservationEvents.Of(Observation).Actions);
        }
        catch (InvalidProtocolBufferException)
        {
            // It goes to the client as it is.
        }
    }

    private bool ReadNext()
    {
        try
        {
            if (!_reader.Next(out var observation))
            {
                return false;
            }

            var facts = ObservationFacts.Read(observation.Bytes.Span);
            _next.Bytes.ResetWrittenCount();
            _next.Bytes.Write(observation.Bytes.Span);
            (_next.Step, _next.Loop, _next.HasResults) = (observation.Step, facts.GameLoop, facts.HasPlayerResult);
            return facts.GameLoop != StubLoop;
        }
        catch (RecordingException damaged)
        {
            Problem = damaged.Message;
            return false;
        }
        catch (MalformedMessageException malformed)
        {
            Problem = $"what follows game loop {Loop} is no observation: {malformed.Message}";
            return false;
        }
    }

    private sealed class Place
    {
        public ArrayBufferWriter<byte> Bytes { get; } = new();

        public uint Loop { get; set; }

        public ulong Step { get; set; }

        public bool HasResults { get; set; }
    }
}
