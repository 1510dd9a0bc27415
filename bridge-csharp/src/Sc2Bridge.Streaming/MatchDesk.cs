using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where the match that runs is asked about: what it is, what its game knows, and how it is played back. Thread-safe.
/// </summary>
internal sealed class MatchDesk
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<MatchDescription> _described = NewDescribed();
    private volatile MatchDescription? _match;
    private Dictionary<uint, MatchDescription> _views = [];
    private MatchDescription? _ended;
    private Dictionary<uint, MatchDescription> _endedViews = [];
    private IGameRequests? _requests;
    private IPlayback? _playback;

    /// <summary>The match that runs; null where none does.</summary>
    public MatchDescription? Match => _match;

    /// <summary>The match that ended last; null before that.</summary>
    public MatchDescription? Ended
    {
        get
        {
            lock (_lock)
            {
                return _ended;
            }
        }
    }

    /// <summary>A match is known. Whoever waits for its description has it with <see cref="Describe"/>.</summary>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    public void Open(
        MatchDescription description, IGameRequests requests, IPlayback? playback,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        var views = description.Perspectives.Distinct().ToDictionary(
            perspective => perspective, perspective => View(description, gameInfo?.GetValueOrDefault(perspective)));
        lock (_lock)
        {
            if (_match is not null)
            {
                throw new InvalidOperationException($"Match '{_match.Match}' runs: end it before announcing another.");
            }

            _requests = requests;
            _playback = playback;
            _match = description;
            _views = views;
        }
    }

    /// <summary>Those who wait for the description get it.</summary>
    public void Describe(MatchDescription description)
    {
        TaskCompletionSource<MatchDescription> described;
        lock (_lock)
        {
            described = _described;
        }

        described.TrySetResult(description);
    }

    /// <summary>The match is over; false where none runs.</summary>
    public bool Close()
    {
        lock (_lock)
        {
            if (_match is null)
            {
                return false;
            }

            (_ended, _endedViews) = (_match, _views);
            Forget();
            _described = NewDescribed();
            return true;
        }
    }

    /// <summary>The bridge stops: who waits for a match is refused with this.</summary>
    public void Stop(RequestRefusedException why)
    {
        lock (_lock)
        {
            Forget();
            _described.TrySetException(why);
            _ = _described.Task.Exception;
        }
    }

    /// <summary>See <see cref="Hub.DescribeAsync"/>.</summary>
    public async Task<MatchDescription> DescribeAsync(string match, uint? perspective, CancellationToken ct)
    {
        Task<MatchDescription> described;
        lock (_lock)
        {
            if (match.Length > 0 && _match?.Match != match && _ended?.Match == match)
            {
                return Seen(_ended, perspective);
            }

            described = _described.Task;
        }

        var description = await described.WaitAsync(ct);
        lock (_lock)
        {
            return SubscriptionRequest.UnknownMatch(match, description) is { } refusal ? throw refusal
                : Seen(description, perspective);
        }
    }

    /// <summary>Asks the game; see <see cref="Hub.RequestAsync"/>.</summary>
    public Task<Response> AskAsync(GameRequest request, CancellationToken ct)
    {
        MatchDescription? match;
        IGameRequests? requests;
        lock (_lock)
        {
            (match, requests) = (_match, _requests);
        }

        GameRequestRules.Check(request, match);
        return requests!.RequestAsync(request.Perspective, request.Request, ct);
    }

    /// <summary>See <see cref="Hub.Control"/>.</summary>
    public PlaybackState Control(ControlRequest request)
    {
        MatchDescription? match;
        IPlayback? playback;
        lock (_lock)
        {
            (match, playback) = (_match, _playback);
        }

        GameRequestRules.CheckMatch(request.Match, match);
        var state = playback?.Control(request) ?? throw new RequestRefusedException(
            StatusCode.FailedPrecondition,
            $"match '{match!.Match}' is not played from a recording: only one that is (sc2bridge replay) can be "
            + "paused, stepped, sought or given another speed");
        state.Tag = request.Tag;
        return state;
    }

    // As its own where the perspective's game tells the same.
    private static MatchDescription View(MatchDescription description, ResponseGameInfo? gameInfo)
    {
        if (gameInfo is null || gameInfo.Equals(description.GameInfo))
        {
            return description;
        }

        var view = description.Clone();
        view.GameInfo = gameInfo;
        return view;
    }

    // Under the lock. One that was waited for may have ended since.
    private MatchDescription Seen(MatchDescription description, uint? perspective) =>
        perspective is not { } wanted ? description
        : (description == _match ? _views : _endedViews).TryGetValue(wanted, out var view) ? view
        : throw SubscriptionRequest.NotOffered(wanted, description);

    private static TaskCompletionSource<MatchDescription> NewDescribed() =>
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Forget()
    {
        _match = null;
        _requests = null;
        _playback = null;
    }
}
