using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The current observation of a game that plays a recording. The position moves to later observations. The
/// events of skipped observations are added to the next observation that the client gets. Not thread-safe.
/// </summary>
internal sealed class MatchPosition : IDisposable
{
    // The game may send an almost empty last observation with this loop. That observation is not played.
    private const uint StubLoop = uint.MaxValue;

    private readonly ObservationReader _reader;
    private readonly RequestTotals _totals;
    private readonly ObservationEvents _skippedEvents = new();
    private readonly ArrayBufferWriter<byte> _rewritten = new();
    private readonly List<SC2APIProtocol.Action> _actions = [];
    private Snapshot _current = new();
    private Snapshot _next = new();
    private bool? _hasNext;
    private bool _isDelivered;

    /// <summary>Begins at the first observation.</summary>
    /// <param name="reader">Reads the observations of one perspective. This object disposes it.</param>
    /// <param name="totals">Counts the observations.</param>
    /// <exception cref="RecordingException">The recording has no observation.</exception>
    public MatchPosition(ObservationReader reader, RequestTotals totals)
    {
        (_reader, _totals) = (reader, totals);
        Begin();
    }

    /// <summary>The game loop of the current observation.</summary>
    public uint Loop => _current.Loop;

    public ulong Step => _current.Step;

    /// <summary>The bytes of the current observation, as they were recorded.</summary>
    public ReadOnlySpan<byte> Observation => _current.Bytes.WrittenSpan;

    /// <summary>The game loop of the next observation; null if there is no next observation.</summary>
    public uint? NextLoop => HasNext ? _next.Loop : null;

    /// <summary>Whether the match's results are in the current observation, or in the next observation of the same loop.</summary>
    public bool HasResults => _current.HasResults || (NextLoop == Loop && _next.HasResults);

    /// <summary>Why the recording's observations end early, as one line; null if they do not end early.</summary>
    public string? Problem { get; private set; }

    private bool HasNext => _hasNext ??= ReadNext();

    /// <summary>Goes back to the first observation.</summary>
    /// <exception cref="RecordingException">The first observation can no longer be read from the file.</exception>
    public void Rewind()
    {
        _reader.SeekIndex(0);
        Begin();
    }

    /// <summary>Goes back to a loop whose observation was already read.</summary>
    /// <exception cref="RecordingException">The observation of this loop can no longer be read from the file.</exception>
    public void GoBack(uint loop)
    {
        _reader.SeekLoop(loop);
        Begin();
    }

    /// <summary>Moves to the first observation at or after a loop. If no such observation exists, moves to the last observation.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="disconnected">Cancelled when the client has disconnected.</param>
    /// <returns>Whether the loop was reached.</returns>
    public bool MoveTo(long loop, CancellationToken disconnected)
    {
        while (Loop < loop && HasNext)
        {
            disconnected.ThrowIfCancellationRequested();
            MoveToNext();
        }

        return Loop >= loop;
    }

    /// <summary>Moves to the last observation that is not later than a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="disconnected">Cancelled when the client has disconnected.</param>
    public void MoveUpTo(long loop, CancellationToken disconnected)
    {
        while (NextLoop <= loop)
        {
            disconnected.ThrowIfCancellationRequested();
            MoveToNext();
        }
    }

    /// <summary>Returns the current observation for the client, with the events of skipped observations. Each event is returned once.</summary>
    /// <param name="results">The match's results, which are added to a repeated observation without results; empty before the end.</param>
    /// <returns>The observation's bytes. They are valid until the next call of any method of this object.</returns>
    public ReadOnlySpan<byte> ReadObservation(IReadOnlyCollection<PlayerResult> results)
    {
        if (_isDelivered && NextLoop == Loop)
        {
            // A client that asks again gets the recording's next observation of the same loop.
            MoveToNext();
        }

        _totals.Observations++;
        _rewritten.ResetWrittenCount();
        if (_isDelivered)
        {
            ObservationEvents.Write(Observation, isRepeat: true, _current.HasResults ? [] : results, _rewritten);
            return _rewritten.WrittenSpan;
        }

        _isDelivered = true;
        if (_skippedEvents.IsEmpty)
        {
            return Observation;
        }

        _skippedEvents.Write(Observation, _rewritten);
        _skippedEvents.Clear();
        return _rewritten.WrittenSpan;
    }

    /// <summary>Returns the recorded player's actions in the observations since the last call.</summary>
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
        (_hasNext, _isDelivered) = (null, true);
        _skippedEvents.Clear();
        if (!HasNext)
        {
            throw new RecordingException(Problem ?? "the recording has no observation to begin with: record the match again");
        }

        MoveToNext();
        _actions.Clear();
    }

    private void MoveToNext()
    {
        if (!_isDelivered)
        {
            _skippedEvents.Add(Observation);
            _totals.Skipped++;
        }

        (_current, _next) = (_next, _current);
        (_hasNext, _isDelivered) = (null, false);
        try
        {
            _actions.AddRange(ObservationEvents.Of(Observation).Actions);
        }
        catch (InvalidProtocolBufferException)
        {
            // The recorded actions cannot be read. The client still gets the observation unchanged.
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
            Problem = $"the observation after game loop {Loop} cannot be read: {malformed.Message}";
            return false;
        }
    }

    private sealed class Snapshot
    {
        public ArrayBufferWriter<byte> Bytes { get; } = new();

        public uint Loop { get; set; }

        public ulong Step { get; set; }

        public bool HasResults { get; set; }
    }
}
