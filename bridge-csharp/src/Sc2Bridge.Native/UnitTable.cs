using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Native;

/// <summary>
/// Writes observations into arrays, like Python's <c>sc2bridge.gym.observations.UnitTable</c>. Precision and order of each
/// operation are numpy's, so that all bytes are equal.
/// </summary>
internal static class UnitTable
{
    public const int FeatureCount = 15;
    public const int PlayerCount = 8;
    private const float LoopsPerSecond = 22.4f;

    /// <summary>Writes one match's observation. All spans are of this match.</summary>
    /// <param name="observed">The observation.</param>
    /// <param name="rows">The units of the rows.</param>
    /// <param name="map">The map's width and height in cells.</param>
    /// <param name="sines">See <see cref="Sines.Usual"/>.</param>
    /// <param name="to">Where to write.</param>
    public static void Write(
        ObservedState observed, ReadOnlySpan<int> rows, (int Width, int Height) map, ReadOnlySpan<float> sines, in MatchArrays to)
    {
        var units = observed.Units;
        to.Units.Clear();
        for (var row = 0; row < rows.Length; row++)
        {
            var isThere = rows[row] >= 0;
            to.Mask[row] = isThere ? (sbyte)1 : (sbyte)0;
            to.Types[row] = isThere ? (int)units[rows[row]].Type : 0;
            if (isThere)
            {
                Write(units[rows[row]], map, sines, to.Units.Slice(row * FeatureCount, FeatureCount));
            }
        }

        for (var i = 0; i < observed.Player.Length; i++)
        {
            to.Player[i] = observed.Player[i];
        }

        to.Player[PlayerCount - 1] = observed.GameLoop;
    }

    private static void Write(in ObservedUnit unit, (int Width, int Height) map, ReadOnlySpan<float> sines, Span<float> features)
    {
        var direction = Sines.IndexOf(unit.Facing);
        features[0] = unit.Alliance == Alliance.Self ? 1 : 0;
        features[1] = unit.Alliance == Alliance.Enemy ? 1 : 0;
        features[2] = unit.Alliance == Alliance.Neutral ? 1 : 0;
        // numpy divides a float32 by an int64 in double precision.
        features[3] = (float)((double)unit.X / map.Width);
        features[4] = (float)((double)unit.Y / map.Height);
        features[5] = sines[direction];
        features[6] = sines[Sines.Count + direction];
        features[7] = unit.Health / Math.Max(unit.HealthMax, 1);
        features[8] = unit.Shield / Math.Max(unit.ShieldMax, 1);
        features[9] = unit.Energy / Math.Max(unit.EnergyMax, 1);
        features[10] = unit.BuildProgress;
        features[11] = unit.WeaponCooldown / LoopsPerSecond;
        features[12] = unit.IsFlying ? 1 : 0;
        features[13] = unit.Cloak is CloakState.Cloaked or CloakState.CloakedDetected ? 1 : 0;
        features[14] = unit.HasOrders ? 1 : 0;
        foreach (ref var feature in features)
        {
            feature = feature < -1 ? -1 : feature > 1 ? 1 : feature;
        }
    }
}
