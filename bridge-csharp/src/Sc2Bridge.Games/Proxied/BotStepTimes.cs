namespace Sc2Bridge.Games;

/// <summary>The times of one step of a bot, in nanoseconds.</summary>
/// <param name="GameLoop">The game loop of the observation.</param>
/// <param name="GameNs">How long the game needed until this observation.</param>
/// <param name="BotNs">How long the bot then thought, until its request for the next step or observation.</param>
public readonly record struct BotStep(uint GameLoop, long GameNs, long BotNs);

/// <summary>Keeps the times of a bot's newest steps. Thread-safe.</summary>
internal sealed class BotStepTimes
{
    // Thirty seconds of game time.
    private const int KeptSteps = 672;

    // Very long steps are kept longer.
    private const long SlowNs = 5_000_000_000;
    private const int KeptSlowSteps = 100;

    private readonly Lock _lock = new();
    private readonly Queue<BotStep> _steps = new();
    private readonly Queue<BotStep> _slowSteps = new();
    private BotStep _open;
    private long _nextGameNs;

    /// <summary>The newest steps, and earlier ones that were very long. The oldest is first. The last one may not be complete.</summary>
    public IReadOnlyList<BotStep> Steps
    {
        get
        {
            lock (_lock)
            {
                return [.. _slowSteps, .. _steps, _open];
            }
        }
    }

    /// <summary>Adds thinking time: the bot did not wait for an answer.</summary>
    public void AddBot(long ns)
    {
        lock (_lock)
        {
            _open = _open with { BotNs = _open.BotNs + ns };
        }
    }

    /// <summary>Adds the game's time for an answer.</summary>
    public void AddGame(long ns)
    {
        lock (_lock)
        {
            _nextGameNs += ns;
        }
    }

    /// <summary>Begins the step of an observation. An observation of the same game loop continues the step.</summary>
    public void BeginStep(uint gameLoop)
    {
        lock (_lock)
        {
            if (gameLoop == _open.GameLoop)
            {
                _open = _open with { GameNs = _open.GameNs + _nextGameNs };
            }
            else
            {
                if (_steps.Count == KeptSteps && _steps.Dequeue() is var oldest && Math.Max(oldest.BotNs, oldest.GameNs) >= SlowNs
                    && _slowSteps.Count < KeptSlowSteps)
                {
                    _slowSteps.Enqueue(oldest);
                }

                _steps.Enqueue(_open);
                _open = new BotStep(gameLoop, _nextGameNs, 0);
            }

            _nextGameNs = 0;
        }
    }
}
