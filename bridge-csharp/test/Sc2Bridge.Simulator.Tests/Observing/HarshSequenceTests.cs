using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Observing;

public sealed class HarshSequenceTests
{
    private const double Wanted = 160 << 10;

    [Fact]
    public void Every_observation_has_999_units_and_160_KiB()
    {
        var sequence = new HarshSequence();
        for (var i = 0; i < HarshSequence.Length; i++)
        {
            var bytes = sequence.Next();
            Assert.InRange(bytes.Length, Wanted * 0.98, Wanted * 1.02);
            var raw = ResponseObservation.Parser.ParseFrom(bytes).Observation.RawData;
            Assert.Equal(999, raw.Units.Count);
            Assert.Equal(999, raw.Units.Select(u => u.Tag).Distinct().Count());
        }
    }

    [Fact]
    public void From_each_to_the_next_40_percent_of_the_units_and_the_visibility_image_change()
    {
        var sequence = new HarshSequence();
        var before = ResponseObservation.Parser.ParseFrom(sequence.Next()).Observation;
        for (var i = 1; i < HarshSequence.Length; i++)
        {
            var after = ResponseObservation.Parser.ParseFrom(sequence.Next()).Observation;
            var moved = after.RawData.Units
                .Where((unit, index) => !unit.Pos.Equals(before.RawData.Units[index].Pos)).ToArray();
            Assert.InRange(moved.Length, 400, 999);
            Assert.All(moved, unit => Assert.True(
                TakesAllBits(unit.Pos.X) && TakesAllBits(unit.Pos.Y) && TakesAllBits(unit.Pos.Z), $"{unit.Pos}"));
            Assert.NotEqual(before.RawData.MapState.Visibility, after.RawData.MapState.Visibility);
            Assert.Equal(before.GameLoop + 1, after.GameLoop);
            before = after;
        }
    }

    // The hash was taken once: another machine or runtime must find the same.
    [Fact]
    public void A_seed_gives_the_same_bytes_everywhere()
    {
        Assert.Equal(
            "5f47dd0cad6cd3eadad0957f96344b455114c30466de1bbfb10177c6da280d6b", Hash(new HarshSequence()));
        Assert.NotEqual(Hash(new HarshSequence()), Hash(new HarshSequence(1)));
    }

    [Fact]
    public void A_unit_has_the_fields_that_the_simulated_game_gives_its_kind()
    {
        var units = ResponseObservation.Parser.ParseFrom(new HarshSequence().Next()).Observation.RawData.Units;
        var kinds = units.DistinctBy(u => u.UnitType).ToArray();
        var arena = new Arena(second: Race.Zerg);
        for (var i = 0; i < kinds.Length; i++)
        {
            arena.Add((int)kinds[i].UnitType, kinds[i].Owner, 24 + (12 * (i % 8)), 24 + (12 * (i / 8)));
        }

        var simulated = arena.World.By(0).Observation.RawData.Units.ToLookup(u => u.UnitType);
        foreach (var kind in kinds)
        {
            var twin = simulated[kind.UnitType].Last(u => u.Owner == kind.Owner);
            Assert.Equal(Seen.Fields(twin).Except(["orders"]), Seen.Fields(kind).Except(["orders"]));
            Assert.Equal(
                (twin.Radius, twin.HealthMax, twin.EnergyMax, twin.ShieldMax, twin.DetectRange, twin.IsFlying),
                (kind.Radius, kind.HealthMax, kind.EnergyMax, kind.ShieldMax, kind.DetectRange, kind.IsFlying));
        }
    }

    private static bool TakesAllBits(float value) => (BitConverter.SingleToInt32Bits(value) & 1) == 1;

    private static string Hash(HarshSequence sequence)
    {
        using var hash = System.Security.Cryptography.IncrementalHash.CreateHash(
            System.Security.Cryptography.HashAlgorithmName.SHA256);
        for (var i = 0; i < HarshSequence.Length; i++)
        {
            hash.AppendData(sequence.Next());
        }

        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }
}
