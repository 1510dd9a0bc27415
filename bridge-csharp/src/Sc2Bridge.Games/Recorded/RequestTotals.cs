using System.Globalization;

namespace Sc2Bridge.Games;

/// <summary>What was answered from where, since the beginning.</summary>
public sealed class RequestTotals
{
    /// <summary>Observations that the client got.</summary>
    public long Observations { get; internal set; }

    /// <summary>Observations that it passed over; their events are in the next ones.</summary>
    public long Skipped { get; internal set; }

    /// <summary>Questions answered as the game did when it was recorded.</summary>
    public long Recorded { get; internal set; }

    /// <summary>Questions for abilities answered as the game did some steps before or after.</summary>
    public long Nearby { get; internal set; }

    /// <summary>Questions for ways answered from the map's grids.</summary>
    public long Ways { get; internal set; }

    /// <summary>Questions for placements answered from the map's grids.</summary>
    public long Placements { get; internal set; }

    /// <summary>Actions that the client gave, and that change nothing.</summary>
    public long Actions { get; internal set; }

    /// <summary>Requests that were refused.</summary>
    public long Refused { get; internal set; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Observations} observations given ({Skipped} passed over, with their events in the next); queries: "
        + $"{Recorded} answered as recorded, {Nearby} as at another step, {Ways} ways and {Placements} placements "
        + $"from the map's grids; "
        + $"{Actions} actions taken and not carried out; {Refused} requests refused");
}
