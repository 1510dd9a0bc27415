using System.CommandLine;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>
/// Writes the sequences that the codecs are measured on into folders, for programs of other languages.
/// </summary>
internal static class FramesCommand
{
    public static Command Create()
    {
        var folder = new Argument<DirectoryInfo>("folder") { Description = "Made where it is not" };
        var count = new Option<int>("--count")
        {
            Description = "How many frames",
            DefaultValueFactory = _ => HarshFrames.Count,
        };
        var harsh = new Option<bool>("--harsh")
        {
            Description = "The harsh sequence, else consecutive steps late in the simulated match",
        };
        var command = new Command("frames", "Writes serialized ResponseObservations, one a file")
        {
            folder,
            count,
            harsh,
        };
        command.SetAction((parsed, ct) =>
        {
            var frames = parsed.GetValue(harsh)
                ? HarshFrames.Make(parsed.GetValue(count), HarshFrames.Seed, ct)
                : SimulatedFrames.Late(parsed.GetValue(count), ct);
            frames.Save(parsed.GetRequiredValue(folder).FullName);
            Console.WriteLine(frames.Origin);
            return Task.FromResult(0);
        });
        return command;
    }
}
