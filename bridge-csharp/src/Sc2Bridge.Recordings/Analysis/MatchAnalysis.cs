namespace Sc2Bridge.Recordings.Analysis;

/// <summary>What decided a match, by the rules of docs/reference/analysis.md. Loops are game loops.</summary>
/// <param name="Rules">The version of the rules.</param>
/// <param name="FirstLoop">The first observation's loop.</param>
/// <param name="LastLoop">The last observation's loop.</param>
/// <param name="Fights">In the order of their beginnings.</param>
/// <param name="Players">Ordered by player id.</param>
public sealed record MatchAnalysis(
    int Rules, uint FirstLoop, uint LastLoop, IReadOnlyList<Fight> Fights, IReadOnlyList<PlayerAnalysis> Players);

/// <summary>One fight.</summary>
/// <param name="FirstLoop">The loop of its first loss or damage.</param>
/// <param name="LastLoop">The loop of its last loss or damage.</param>
/// <param name="X">Its middle, in cells.</param>
/// <param name="Y">Its middle, in cells.</param>
/// <param name="Ahead">The player id of the side that came out ahead; 0 if no side did.</param>
/// <param name="Sides">The players who took part, ordered by player id: at least two.</param>
public sealed record Fight(
    uint FirstLoop, uint LastLoop, double X, double Y, uint Ahead, IReadOnlyList<FightSide> Sides);

/// <summary>One player in a fight.</summary>
/// <param name="PlayerId">The player.</param>
/// <param name="Minerals">The mineral cost of the units that it lost.</param>
/// <param name="Vespene">Their vespene cost.</param>
/// <param name="Damaged">How many of its units were damaged and survived.</param>
/// <param name="Lost">The units that it lost; the most numerous first.</param>
public sealed record FightSide(
    uint PlayerId, long Minerals, long Vespene, int Damaged, IReadOnlyList<LostUnits> Lost);

/// <summary>Units of one type that a player lost in a fight.</summary>
/// <param name="UnitType">The game's number of the type.</param>
/// <param name="Name">The game's name of the type.</param>
/// <param name="Count">How many.</param>
public sealed record LostUnits(uint UnitType, string Name, int Count);

/// <summary>What one player did and failed to do.</summary>
/// <param name="PlayerId">The player.</param>
/// <param name="IsObserved">
/// Whether the recording has the player's own perspective. If not, only its bases are known, and its refused actions.
/// </param>
/// <param name="Bases">Its town halls, ordered by <c>SeenLoop</c>.</param>
/// <param name="SupplyBlocks">When its supply limited it.</param>
/// <param name="Floating">When it had many resources that it did not spend.</param>
/// <param name="IdleProduction">The score's <c>idle_production_time</c> at the end; null if it is unknown.</param>
/// <param name="IdleWorkers">The score's <c>idle_worker_time</c> at the end; null if it is unknown.</param>
/// <param name="Errors">Its actions that failed, by kind; the most frequent first.</param>
public sealed record PlayerAnalysis(
    uint PlayerId, bool IsObserved, IReadOnlyList<TownHall> Bases, IReadOnlyList<LoopSpan> SupplyBlocks,
    IReadOnlyList<FloatingSpan> Floating, double? IdleProduction, double? IdleWorkers, IReadOnlyList<FailedActions> Errors);

/// <summary>A town hall.</summary>
/// <param name="Name">The game's name of its last type.</param>
/// <param name="X">Its first known place, in cells.</param>
/// <param name="Y">Its first known place, in cells.</param>
/// <param name="SeenLoop">When it was first seen.</param>
/// <param name="IsExpansion">Whether it was seen before it was finished: it was built during the match.</param>
/// <param name="FinishedLoop">When an expansion was first seen finished; null if it never was.</param>
/// <param name="LostLoop">When it was destroyed; null if it was not.</param>
public sealed record TownHall(
    string Name, double X, double Y, uint SeenLoop, bool IsExpansion, uint? FinishedLoop, uint? LostLoop);

/// <summary>A part of the match.</summary>
/// <param name="FirstLoop">Its first loop.</param>
/// <param name="LastLoop">Its last loop.</param>
public sealed record LoopSpan(uint FirstLoop, uint LastLoop);

/// <summary>A part of the match, during which a player did not spend a resource.</summary>
/// <param name="Resource"><c>minerals</c> or <c>vespene</c>.</param>
/// <param name="FirstLoop">Its first loop.</param>
/// <param name="LastLoop">Its last loop.</param>
/// <param name="Most">The most that the player had of it.</param>
public sealed record FloatingSpan(string Resource, uint FirstLoop, uint LastLoop, uint Most);

/// <summary>Actions that failed for the same reason.</summary>
/// <param name="Kind">The name in the game's <c>ActionResult</c>, or <c>RefusedByBridge</c>.</param>
/// <param name="Refused">How many were refused when they were sent.</param>
/// <param name="Failed">How many were accepted and failed later.</param>
public sealed record FailedActions(string Kind, long Refused, long Failed);
