namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>The events of observations, merged in order. Two values are equal if their events are.</summary>
internal sealed record Told
{
    private readonly ResponseObservation _sum = new() { Observation = new() { RawData = new() { Event = new() } } };

    public static Told Of(params IReadOnlyList<ResponseObservation> observations)
    {
        var told = new Told();
        foreach (var one in observations)
        {
            told.Add(one);
        }

        return told;
    }

    /// <summary>An observation without its events.</summary>
    public static ResponseObservation Without(ResponseObservation observation)
    {
        var rest = observation.Clone();
        rest.Actions.Clear();
        rest.ActionErrors.Clear();
        rest.Chat.Clear();
        rest.Observation.Alerts.Clear();
        rest.Observation.RawData?.Event = null;

        // Setting the events may have created their parent messages.
        return rest.Observation.RawData is { } raw && raw.CalculateSize() == 0 ? Drop(rest) : rest;
    }

    public void Add(ResponseObservation observation)
    {
        _sum.Actions.AddRange(observation.Actions);
        _sum.ActionErrors.AddRange(observation.ActionErrors);
        _sum.Chat.AddRange(observation.Chat);
        _sum.Observation.Alerts.AddRange(observation.Observation.Alerts);
        _sum.Observation.RawData.Event.DeadUnits.AddRange(observation.Observation.RawData?.Event?.DeadUnits ?? []);
    }

    public bool Equals(Told? other) => other is not null && _sum.Equals(other._sum);

    public override int GetHashCode() => _sum.GetHashCode();

    public override string ToString() => JsonFormatter.Default.Format(_sum);

    private static ResponseObservation Drop(ResponseObservation rest)
    {
        rest.Observation.RawData = null;
        return rest;
    }
}
