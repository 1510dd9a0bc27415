using System.Diagnostics;

namespace Sc2Bridge.Cli;

/// <summary>
/// Finds pauses of the whole process: it was suspended, or got no processor. The waiting time of a thread then ends much too late.
/// </summary>
internal sealed class PauseWatch : IDisposable
{
    private const int KeptPauses = 1000;

    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly Queue<BridgePause> _pauses = new();
    private readonly ManualResetEventSlim _ended = new();

    private readonly Func<uint> _gameLoop;

    /// <summary>Starts to watch.</summary>
    /// <param name="gameLoop">Returns the game loop of the newest observation.</param>
    internal PauseWatch(Func<uint> gameLoop)
    {
        _gameLoop = gameLoop;
        new Thread(Watch) { IsBackground = true, Name = "pause watch" }.Start();
    }

    /// <summary>The pauses so far, the oldest first.</summary>
    internal IReadOnlyList<BridgePause> Pauses
    {
        get
        {
            lock (_lock)
            {
                return [.. _pauses];
            }
        }
    }

    public void Dispose() => _ended.Set();

    private void Watch()
    {
        for (var since = Stopwatch.GetTimestamp(); !_ended.Wait(Period);)
        {
            var now = Stopwatch.GetTimestamp();
            var elapsed = Stopwatch.GetElapsedTime(since, now);
            since = now;
            if (elapsed - Period >= Shortest)
            {
                var to = (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * 100;
                lock (_lock)
                {
                    if (_pauses.Count == KeptPauses)
                    {
                        _pauses.Dequeue();
                    }

                    _pauses.Enqueue(new BridgePause(to - (long)elapsed.TotalNanoseconds, to, _gameLoop()));
                }
            }
        }
    }
}
