namespace Sc2Bridge.Terminal;

/// <summary>Measures a rate over the last ten seconds.</summary>
/// <param name="time">The clock.</param>
public sealed class Pace(TimeProvider time)
{
    private static readonly TimeSpan _window = TimeSpan.FromSeconds(10);
    private readonly Queue<(long Time, double Done)> _samples = [];

    /// <summary>Adds a sample: the total work that is done so far. Returns the work per second.</summary>
    public double Measure(double done)
    {
        _samples.Enqueue((time.GetTimestamp(), done));
        while (_samples.Count > 2 && time.GetElapsedTime(_samples.Peek().Time) > _window)
        {
            _samples.Dequeue();
        }

        var (begin, before) = _samples.Peek();
        var seconds = time.GetElapsedTime(begin).TotalSeconds;
        return seconds > 0 ? Math.Max(0, done - before) / seconds : 0;
    }
}
