namespace Sc2Bridge.Simulator.Api;

/// <summary>What a client has been told of a match's end, which the game tells late.</summary>
internal sealed class MatchEnding(EndQuirks quirks)
{
    private bool _refused;
    private int _observed;

    /// <summary>Whether the state still says that the match goes on.</summary>
    public bool StatusHeld => quirks.HasFlag(EndQuirks.LateStatus) && !_refused;

    /// <summary>Whether observations are stubs by now.</summary>
    public bool IsStub => quirks.HasFlag(EndQuirks.Stub) && _observed > (quirks.HasFlag(EndQuirks.LateResults) ? 1 : 0);

    /// <summary>The request after the end is refused, and the state says ended from then on.</summary>
    public void Refuse() => _refused = true;

    /// <summary>Whether this observation of the ended match has its results.</summary>
    public bool TellResults() => _observed++ > 0 || !quirks.HasFlag(EndQuirks.LateResults);
}
