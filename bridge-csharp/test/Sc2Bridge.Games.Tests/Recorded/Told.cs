namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>What observations alone carry, summed up in their order; two are equal where they tell the same.</summary>
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

    /// <summary>What else there is in an observation.</summary>
    public static ResponseObservation Without(ResponseObservation observation)
    {
        var rest = observation.Clone();
        rest.Actions.Clear();
        rest.ActionErrors.Clear();
        rest.Chat.Clear();
        rest.Observation.Alerts.Clear();
        rest.Observation.RawData?.Event = null;

        // What was put in may have made the parts that hold it.
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
