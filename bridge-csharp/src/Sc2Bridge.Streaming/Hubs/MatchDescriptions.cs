using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>The descriptions of the running match and of the last ended match, as each perspective sees them. Thread-safe.</summary>
internal sealed class MatchDescriptions
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<Described> _described = NewSource();
    private volatile Described? _running;
    private volatile Described? _ended;

    /// <summary>The running match; null if no match runs.</summary>
    public MatchDescription? Running => _running?.Whole;

    /// <summary>The match that ended last; null if no match has ended.</summary>
    public MatchDescription? LastEnded => _ended?.Whole;

    /// <summary>Starts a match. Calls that wait for its description complete at <see cref="Announce"/>.</summary>
    /// <exception cref="InvalidOperationException">The previous match has not ended.</exception>
    public void Open(MatchDescription description, IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        var gameInfos = description.Perspectives.Distinct().ToDictionary(
            perspective => perspective,
            perspective => gameInfo?.GetValueOrDefault(perspective) is { } own && !own.Equals(description.GameInfo) ? own : description.GameInfo);
        lock (_lock)
        {
            _running = _running is null
                ? new Described(description, gameInfos)
                : throw new InvalidOperationException($"Match '{Running!.MatchId}' runs: end it before announcing another.");
        }
    }

    /// <summary>Completes the calls that wait for the match.</summary>
    public void Announce()
    {
        lock (_lock)
        {
            if (_running is { } running)
            {
                _described.TrySetResult(running);
            }
        }
    }

    /// <summary>Ends the match; false if no match runs.</summary>
    public bool Close()
    {
        lock (_lock)
        {
            if (_running is null)
            {
                return false;
            }

            (_ended, _running, _described) = (_running, null, NewSource());
            return true;
        }
    }

    /// <summary>Called when the bridge stops: calls that wait fail with this error.</summary>
    public void Stop(RequestRefusedException why)
    {
        lock (_lock)
        {
            _running = null;
            _described.TrySetException(why);
            _ = _described.Task.Exception;
        }
    }

    /// <summary>See <see cref="CurrentMatch.DescribeAsync"/>.</summary>
    public async Task<MatchDescription> DescribeAsync(DescribeRequest request, uint? perspective, CancellationToken ct)
    {
        Task<Described> pending;
        lock (_lock)
        {
            pending = request.MatchId.Length > 0 && Running?.MatchId != request.MatchId && _ended is { } ended && ended.Whole.MatchId == request.MatchId
                ? Task.FromResult(ended)
                : _described.Task;
        }

        var described = await pending.WaitAsync(ct);
        if (SubscriptionRequest.UnknownMatch(request.MatchId, described.Whole) is { } refusal)
        {
            throw refusal;
        }

        var gameInfo = perspective is not { } wanted ? described.Whole.GameInfo
            : described.GameInfo.TryGetValue(wanted, out var own) ? own
            : throw SubscriptionRequest.NotOffered(wanted, described.Whole);
        return described.With(request.WithoutGameInfo ? null : gameInfo, request.WithoutData ? null : described.Whole.Data);
    }

    /// <summary>See <see cref="CurrentMatch.OtherGameInfo"/>.</summary>
    public IReadOnlyDictionary<uint, ResponseGameInfo> OtherGameInfo(string match) =>
        new[] { _running, _ended }.OfType<Described>().FirstOrDefault(one => one.Whole.MatchId == match) is { } described
            ? described.GameInfo.Where(own => own.Value != described.Whole.GameInfo).ToDictionary()
            : [];

    private static TaskCompletionSource<Described> NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private sealed record Described(MatchDescription Whole, IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo)
    {
        private readonly Lazy<MatchDescription> _withoutLargeParts = new(() => new(Whole) { GameInfo = null, Data = null });

        // The large parts are shared, because many clients request them.
        public MatchDescription With(ResponseGameInfo? gameInfo, ResponseData? data) =>
            gameInfo == Whole.GameInfo && data == Whole.Data ? Whole : new(_withoutLargeParts.Value) { GameInfo = gameInfo, Data = data };
    }
}
