namespace Sc2Bridge.Recordings.Analysis;

/// <summary>The key events of a match, by the rules of docs/reference/analysis.md. Loops are game loops.</summary>
/// <param name="Rules">The version of the rules.</param>
/// <param name="FirstLoop">The first observation's loop.</param>
/// <param name="LastLoop">The last observation's loop.</param>
/// <param name="Fights">The fights, ordered by their first loops.</param>
/// <param name="Players">The players, ordered by player id.</param>
public sealed record MatchAnalysis(
    int Rules, uint FirstLoop, uint LastLoop, IReadOnlyList<Fight> Fights, IReadOnlyList<PlayerAnalysis> Players);

/// <summary>One fight.</summary>
/// <param name="FirstLoop">The loop of its first loss or damage.</param>
/// <param name="LastLoop">The loop of its last loss or damage.</param>
/// <param name="X">The x of its centre, in cells.</param>
/// <param name="Y">The y of its centre, in cells.</param>
/// <param name="Ahead">The player id of the side that is ahead after the fight; 0 if no side is ahead.</param>
/// <param name="Sides">The players who took part, at least two, ordered by player id.</param>
public sealed record Fight(
    uint FirstLoop, uint LastLoop, double X, double Y, uint Ahead, IReadOnlyList<FightSide> Sides);

/// <summary>One player in a fight.</summary>
/// <param name="PlayerId">The player.</param>
/// <param name="Minerals">The mineral cost of the units that the player lost.</param>
/// <param name="Vespene">The vespene cost of these units.</param>
/// <param name="Damaged">How many of the player's units were damaged and survived.</param>
/// <param name="Lost">The units that the player lost; the most numerous type first.</param>
public sealed record FightSide(
    uint PlayerId, long Minerals, long Vespene, int Damaged, IReadOnlyList<LostUnits> Lost);

/// <summary>Units of one type that a player lost in a fight.</summary>
/// <param name="UnitType">The game's unit type id.</param>
/// <param name="Name">The game's name of the type.</param>
/// <param name="Count">The number of lost units.</param>
public sealed record LostUnits(uint UnitType, string Name, int Count);

/// <summary>One player's bases, supply blocks, unspent resources, idle times and failed actions.</summary>
/// <param name="PlayerId">The player.</param>
/// <param name="IsObserved">
/// Whether the recording has the player's own perspective. If not, only the player's bases and refused actions are known.
/// </param>
/// <param name="Bases">The player's town halls, ordered by <c>SeenLoop</c>.</param>
/// <param name="SupplyBlocks">The parts of the match during which the player had no free supply.</param>
/// <param name="Floating">The parts of the match during which the player had many unspent resources.</param>
/// <param name="IdleProduction">The score's <c>idle_production_time</c> at the end; null if it is unknown.</param>
/// <param name="IdleWorkers">The score's <c>idle_worker_time</c> at the end; null if it is unknown.</param>
/// <param name="Errors">The player's actions that failed, by kind; the most frequent kind first.</param>
public sealed record PlayerAnalysis(
    uint PlayerId, bool IsObserved, IReadOnlyList<TownHall> Bases, IReadOnlyList<LoopSpan> SupplyBlocks,
    IReadOnlyList<FloatingSpan> Floating, double? IdleProduction, double? IdleWorkers, IReadOnlyList<FailedActions> Errors);

/// <summary>A town hall.</summary>
/// <param name="Name">The game's name of the town hall's newest known type.</param>
/// <param name="X">The x of its first known position, in cells.</param>
/// <param name="Y">The y of its first known position, in cells.</param>
/// <param name="SeenLoop">When the town hall was first seen.</param>
/// <param name="IsExpansion">Whether the town hall was unfinished when it was first seen. If so, it was built during the match.</param>
/// <param name="FinishedLoop">When an expansion was first seen finished; null if it was never seen finished.</param>
/// <param name="LostLoop">When the town hall was destroyed; null if it was not destroyed.</param>
public sealed record TownHall(
    string Name, double X, double Y, uint SeenLoop, bool IsExpansion, uint? FinishedLoop, uint? LostLoop);

/// <summary>A part of the match.</summary>
/// <param name="FirstLoop">Its first loop.</param>
/// <param name="LastLoop">Its last loop.</param>
public sealed record LoopSpan(uint FirstLoop, uint LastLoop);

/// <summary>A part of the match during which a player had much of a resource and did not spend it.</summary>
/// <param name="Resource"><c>minerals</c> or <c>vespene</c>.</param>
/// <param name="FirstLoop">Its first loop.</param>
/// <param name="LastLoop">Its last loop.</param>
/// <param name="Most">The largest amount of the resource that the player had.</param>
public sealed record FloatingSpan(string Resource, uint FirstLoop, uint LastLoop, uint Most);

/// <summary>Actions that failed for the same reason.</summary>
/// <param name="Kind">The name in the game's <c>ActionResult</c>, or <c>RefusedByBridge</c>.</param>
/// <param name="Refused">The number of actions that were refused when they were sent.</param>
/// <param name="Failed">The number of actions that were accepted and failed later.</param>
public sealed record FailedActions(string Kind, long Refused, long Failed);
