using System.Globalization;

namespace Sc2Bridge.Games;

/// <summary>Counts a recorded game's answers by their source, since the game was created.</summary>
public sealed class RequestTotals
{
    /// <summary>Observations that the client got.</summary>
    public long Observations { get; internal set; }

    /// <summary>Observations that the client skipped. The events of a skipped observation are in the next observation that the client got.</summary>
    public long Skipped { get; internal set; }

    /// <summary>Questions that were answered with the game's recorded answer.</summary>
    public long Recorded { get; internal set; }

    /// <summary>Questions about abilities that were answered with the game's answer at a nearby step.</summary>
    public long Nearby { get; internal set; }

    /// <summary>Questions about paths that were answered from the map's grids.</summary>
    public long PathLengths { get; internal set; }

    /// <summary>Questions about placements that were answered from the map's grids.</summary>
    public long Placements { get; internal set; }

    /// <summary>The client's actions. They change nothing.</summary>
    public long Actions { get; internal set; }

    /// <summary>Requests that were refused.</summary>
    public long Refused { get; internal set; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Observations} observations given ({Skipped} skipped, whose events are in later observations); queries: "
        + $"{Recorded} answered as recorded, {Nearby} from another step, {PathLengths} path lengths and {Placements} placements "
        + $"from the map's grids; "
        + $"{Actions} actions accepted without effect; {Refused} requests refused");
}
