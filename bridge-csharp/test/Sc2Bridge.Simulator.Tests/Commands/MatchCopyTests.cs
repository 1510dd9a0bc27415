using System.Security.Cryptography;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.Tests.Api;
using Sc2Bridge.Simulator.Tests.Scenarios;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>A copy of a match is equal to the original, stays equal with the same commands, and does not change the original.</summary>
public sealed class MatchCopyTests(ITestOutputHelper output)
{
    private const int Rounds = 60;
    private static readonly string[] Scenarios = ["MMM", "2s3z", "10gen_protoss", "corridor", "10gen_terran", "10gen_zerg", "up_the_ramp"];

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, Cases.Of(30))];

    [Theory]
    [Trait("Suite", "Slow")]
    [MemberData(nameof(Seeds))]
    public void A_copy_continues_as_the_original_and_does_not_change_it(int seed)
    {
        var expected = Played(seed, copyAt: -1, out _);
        var copyAt = new Random(seed).Next(expected.Count);
        Assert.Equal(expected, Played(seed, copyAt, out var copies));
        var (copy, copiedAt, commands) = copies!.Value;
        foreach (var command in commands)
        {
            copy.Journal.Add(command);
        }

        foreach (var (loop, isLast, state) in expected.Where(each => each.Loop > copiedAt))
        {
            // A command can end the match between two loops.
            while ((copy.World.Loop < loop || isLast) && !copy.World.Ended)
            {
                copy.Step();
            }

            var now = StateOf(copy);
            Assert.True(state == now, $"seed {seed}: the copy of loop {copiedAt} differs in loop {loop}");
        }
    }

    [Theory]
    [Trait("Suite", "Slow")]
    [MemberData(nameof(Seeds))]
    public void A_copy_has_equal_fields_and_shares_nothing_that_changes(int seed)
    {
        var rounds = Played(seed, copyAt: -1, out _).Count;
        Played(seed, copyAt: rounds - 1, out var copies, match =>
        {
            var comparison = CopyComparison.Of(match, match.Copy());
            output.WriteLine($"loop {match.World.Loop}: {comparison.Count} objects, {match.World.Units.Count} units");
            Assert.Empty(comparison.Findings);
        });
        Assert.NotNull(copies);
    }

    [Fact]
    public void The_comparison_finds_each_difference()
    {
        var match = Begin(3).Match!;
        var copy = match.Copy();
        copy.World.Units.First(unit => unit.Order is not null).Order!.Phase++;
        copy.World.Players[1].Camera = default;
        copy.World.Units[5].Home = match.World.Units[0];
        string[] found = [.. CopyComparison.Of(match, copy).Findings.Order(StringComparer.Ordinal)];
        Assert.Contains(found, path => path.EndsWith("<Phase>k__BackingField", StringComparison.Ordinal));
        Assert.Contains(found, path => path.Contains("<Camera>", StringComparison.Ordinal));
        Assert.Contains(found, path => path.Contains("<Home>", StringComparison.Ordinal));
    }

    // Plays a match with random commands. Copies it in one round, plays one copy at once without commands, and returns another
    // copy with the commands that the match got later.
    private static List<(int Loop, bool IsLast, string State)> Played(
        int seed, int copyAt, out (Match Copy, int Loop, List<JournalEntry> Commands)? copied, System.Action<Match>? use = null)
    {
        var random = new Random(seed);
        var made = new AnyMessage(random);
        var game = Begin(seed);
        var (states, before) = (new List<(int, bool, string)>(), 0);
        (Match Copy, int Loop)? copies = null;
        for (var round = 0; round < Rounds && game.Match is { World.Ended: false } match; round++)
        {
            game.Handle(random.Next(4) == 0
                ? new Request { Debug = AnySequenceTests.Debugging(random, made, game) }
                : new Request { Action = AnySequenceTests.Acting(random, made, game) });
            if (round == copyAt)
            {
                use?.Invoke(match);
                copies = (match.Copy(), match.World.Loop);
                before = match.Journal.Entries.Count;
                var other = match.Copy();
                for (var loop = 0; loop < 50; loop++)
                {
                    other.Step();
                }
            }

            game.Step((uint)random.Next(1, 12));
            states.Add((match.World.Loop, match.World.Ended, StateOf(match)));
        }

        copied = copies is not var (copy, at) ? null : (copy, at, [.. game.Match!.Journal.Entries.Skip(before)]);
        return states;
    }

    // Two of three matches are scenarios; the others begin late, so that there are units of all kinds.
    private static SimulatedGame Begin(int seed)
    {
        if (seed % 3 > 0)
        {
            var name = Scenarios[seed % Scenarios.Length];
            var json = File.ReadAllText(Arenas.Files.Single(file => Path.GetFileNameWithoutExtension(file) == name));
            var scenario = Arenas.Create(json, (uint)seed, seed % 2 == 0 ? PlayerType.Participant : PlayerType.Computer);
            return Game.Joined(scenario, seed % 2 == 0 ? Game.JoinAs(Scenario.Find(name)!.Races[0]) : Game.Join());
        }

        var game = Game.Joined(Game.Create((uint)seed));
        game.Step((uint)(seed * 900 % 18_000));
        return game;
    }

    private static string StateOf(Match match)
    {
        var writer = new ObservationWriter(match.World);
        var views = Enumerable.Range(0, match.World.Players.Length + 1)
            .Select(viewer => Convert.ToHexString(SHA256.HashData(writer.Write(viewer, Game.Options, disableFog: false))));
        return $"{WorldChecksum.Of(match.World):X} {string.Join(' ', views)}";
    }
}
