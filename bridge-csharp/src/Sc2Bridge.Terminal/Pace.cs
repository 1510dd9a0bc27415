namespace Sc2Bridge.Terminal;

/// <summary>How fast something goes, over the last ten seconds.</summary>
/// <param name="time">The clock.</param>
public sealed class Pace(TimeProvider time)
{
    private static readonly TimeSpan _window = TimeSpan.FromSeconds(10);
    private readonly Queue<(long Time, double Done)> _looks = [];

    /// <summary>Takes how much is done by now, and gives how much is done in a second.</summary>
    public double Measure(double done)
    {
        _looks.Enqueue((time.GetTimestamp(), done));
        while (_looks.Count > 2 && time.GetElapsedTime(_looks.Peek().Time) > _window)
        {
            _looks.Dequeue();
        }

        var (begin, before) = _looks.Peek();
        var seconds = time.GetElapsedTime(begin).TotalSeconds;
        return seconds > 0 ? Math.Max(0, done - before) / seconds : 0;
    }
}
