using System.CommandLine;
using SC2APIProtocol;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What a computer has at a minute; queens count as army, as in the game.</summary>
internal sealed record Strength(int Minute, int Workers, int Bases, double ArmySupply, int ArmyValue);

/// <summary>What it first attacks with: the units on the enemy's side when the first comes near.</summary>
internal sealed record FirstAttack(double Minute, double Supply, Dictionary<string, int> Units);

/// <summary>One computer's match.</summary>
internal sealed record ComputerRow(string Difficulty, string Race, List<Strength> At, FirstAttack? Attack);

/// <summary>Everything that was measured.</summary>
internal sealed record ComputersReport(Machine Machine, string Map, uint Seed, List<ComputerRow> Computers);

/// <summary>
/// The command <c>computers</c>: how strong the simulated game's computers are, by their numbers. Each plays against somebody
/// who does nothing and cannot be hurt (the debug command "god"), so that only what it does itself decides.
/// </summary>
internal static class ComputersCommand
{
    private const double LoopsPerMinute = 22.4 * 60;
    private static readonly int[] _minutes = [3, 5, 8, 12];
    private static readonly Race[] _races = [Race.Terran, Race.Zerg, Race.Protoss];

    public static Command Create()
    {
        var seed = BenchCommand.Number("--seed", "the matches' seed", 1u);
        return BenchCommand.Create(
            "computers",
            "What the simulated computers of each difficulty and race have at 3, 5, 8 and 12 minutes, and first attack with.",
            [seed],
            (parsed, ct) => Task.Run(
                () =>
                {
                    var all = Enum.GetValues<Difficulty>().SelectMany(_ => _races, (difficulty, race) => (difficulty, race));
                    var machine = Machine.Describe();
                    var number = parsed.GetValue(seed);
                    var rows = all.AsParallel().AsOrdered().WithCancellation(ct)
                        .Select(one => new ComputerMatch(one.difficulty, one.race, number).Play(_minutes, LoopsPerMinute, ct));
                    return new ComputersReport(machine, SimulatedMatch.Map, number, [.. rows]);
                },
                ct),
            Print);
    }

    private static void Print(Output output, ComputersReport report)
    {
        output.Facts([.. report.Machine.Facts(), ("match", Invariant($"{report.Map}, seed {report.Seed}, against nobody"))]);
        foreach (var race in report.Computers.GroupBy(row => row.Race))
        {
            var table = new TextTable(
                $"{race.Key}: workers, bases, army's supply (and value) at each minute; the first attack",
                ["difficulty"],
                [.. _minutes.Select(minute => $"{minute} min"), "attack", "with"]);
            foreach (var row in race)
            {
                table.Add(
                    [row.Difficulty,
                    .. row.At.Select(at => Invariant($"{at.Workers}, {at.Bases}, {at.ArmySupply:0.#} ({at.ArmyValue})")),
                    row.Attack is { } first ? Invariant($"{Math.Floor(first.Minute)}:{first.Minute % 1 * 60:00}") : "–",
                    row.Attack is { } with ? string.Join(", ", with.Units.Select(unit => $"{unit.Value} {unit.Key}")) : "–"]);
            }

            output.Table(table);
        }
    }
}
