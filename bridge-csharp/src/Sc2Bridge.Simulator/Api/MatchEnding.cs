namespace Sc2Bridge.Simulator.Api;

/// <summary>The parts of a match's end that a client has seen. With quirks, the game reports them late.</summary>
internal sealed class MatchEnding(EndQuirks quirks)
{
    private bool _refused;
    private int _observed;

    /// <summary>Whether the status is still in_game although the match has ended.</summary>
    public bool StatusIsLate => quirks.HasFlag(EndQuirks.LateStatus) && !_refused;

    /// <summary>Whether observations are now stubs.</summary>
    public bool IsStub => quirks.HasFlag(EndQuirks.Stub) && _observed > (quirks.HasFlag(EndQuirks.LateResults) ? 1 : 0);

    /// <summary>Records that the first request after the end was refused. The status is ended after that.</summary>
    public void Refuse() => _refused = true;

    /// <summary>Whether this observation of the ended match has the results. Counts the observation.</summary>
    public bool NextHasResults() => _observed++ > 0 || !quirks.HasFlag(EndQuirks.LateResults);
}
