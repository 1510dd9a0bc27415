namespace Sc2Bridge.Measuring.Goals;

/// <summary>Something that this project wants to reach, and how far it is.</summary>
/// <param name="Name">What is measured, with its unit.</param>
/// <param name="Bound">The least that is wanted, or the most.</param>
/// <param name="AtLeast">Whether <paramref name="Bound"/> is the least.</param>
/// <param name="Match">Measured on the simulated match, or on what the goal speaks of; null where it was not.</param>
/// <param name="Harsh">Measured on the harsh sequence; null where it was not, or says nothing.</param>
/// <param name="Beside">What was measured in the same run to compare with; empty where nothing was.</param>
public sealed record GoalRow(
    string Name, double Bound, bool AtLeast, double? Match, double? Harsh, string Beside = "")
{
    /// <summary>Whether the match's figure reaches it; the harsh one stands beside. Null where it was not
    /// measured.</summary>
    public bool? Reached => Match is { } measured ? (AtLeast ? measured >= Bound : measured <= Bound) : null;
}
