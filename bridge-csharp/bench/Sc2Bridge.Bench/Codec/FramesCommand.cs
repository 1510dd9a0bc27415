using System.CommandLine;

namespace Sc2Bridge.Bench;

/// <summary>
/// The command <c>frames</c>: writes the sequences that codecs are measured on into folders, for other programs.
/// </summary>
internal static class FramesCommand
{
    private const string Name = "frames";

    public static Command Create()
    {
        var folder = new Argument<string>("DIR") { Description = "made where it is not" };
        var count = BenchCommand.Number("--count", "how many", WorstCaseFrames.Count);
        var worst = OptionKinds.Flag("--worst-case", "the worst-case sequence, else late steps of the simulated match");
        var command = new Command(Name, "Writes serialized ResponseObservations, one a file.") { folder, count, worst };
        command.SetAction((parsed, ct) => Failures.ReportAsync(() =>
        {
            var frames = parsed.GetValue(worst)
                ? WorstCaseFrames.Make(parsed.GetValue(count), WorstCaseFrames.Seed, ct)
                : SimulatedFrames.Late(parsed.GetValue(count), ct);
            frames.Save(parsed.GetRequiredValue(folder));
            Console.WriteLine(frames.Origin);
            return Task.FromResult(0);
        }));
        return command;
    }
}
