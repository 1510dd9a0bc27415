using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The descriptions of the match that runs and of the one before it, as each perspective sees them. Thread-safe.
/// </summary>
internal sealed class MatchDescriptions
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<MatchDescription> _told = NewTold();
    private volatile MatchDescription? _running;
    private Dictionary<uint, MatchDescription> _views = [];
    private MatchDescription? _ended;
    private Dictionary<uint, MatchDescription> _endedViews = [];

    /// <summary>The match that runs; null if none does.</summary>
    public MatchDescription? Running => _running;

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

    /// <summary>A match begins. Calls that wait for its description complete with <see cref="Tell"/>.</summary>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    public void Open(MatchDescription description, IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo)
    {
        var views = description.Perspectives.Distinct().ToDictionary(
            perspective => perspective, perspective => View(description, gameInfo?.GetValueOrDefault(perspective)));
        lock (_lock)
        {
            if (_running is not null)
            {
                throw new InvalidOperationException($"Match '{_running.MatchId}' runs: end it before announcing another.");
            }

            (_running, _views) = (description, views);
        }
    }

    /// <summary>Completes the calls that wait for the match.</summary>
    public void Tell()
    {
        TaskCompletionSource<MatchDescription> told;
        MatchDescription? description;
        lock (_lock)
        {
            (told, description) = (_told, _running);
        }

        if (description is not null)
        {
            told.TrySetResult(description);
        }
    }

    /// <summary>The match is over; false if none runs.</summary>
    public bool Close()
    {
        lock (_lock)
        {
            if (_running is null)
            {
                return false;
            }

            (_ended, _endedViews, _running, _told) = (_running, _views, null, NewTold());
            return true;
        }
    }

    /// <summary>The bridge stops: calls that wait fail with this.</summary>
    public void Stop(RequestRefusedException why)
    {
        lock (_lock)
        {
            _running = null;
            _told.TrySetException(why);
            _ = _told.Task.Exception;
        }
    }

    /// <summary>See <see cref="CurrentMatch.DescribeAsync(string, uint?, CancellationToken)"/>.</summary>
    public async Task<MatchDescription> OfAsync(string match, uint? perspective, CancellationToken ct)
    {
        Task<MatchDescription> told;
        lock (_lock)
        {
            if (match.Length > 0 && _running?.MatchId != match && _ended?.MatchId == match)
            {
                return Seen(_ended, perspective);
            }

            told = _told.Task;
        }

        var description = await told.WaitAsync(ct);
        lock (_lock)
        {
            return SubscriptionRequest.UnknownMatch(match, description) is { } refusal ? throw refusal
                : Seen(description, perspective);
        }
    }

    // Shared if the perspective's game info is the same.
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

    private static TaskCompletionSource<MatchDescription> NewTold() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Under the lock. The match may have ended since its description was awaited.
    private MatchDescription Seen(MatchDescription description, uint? perspective) =>
        perspective is not { } wanted ? description
        : (description == _running ? _views : _endedViews).TryGetValue(wanted, out var view) ? view
        : throw SubscriptionRequest.NotOffered(wanted, description);
}
