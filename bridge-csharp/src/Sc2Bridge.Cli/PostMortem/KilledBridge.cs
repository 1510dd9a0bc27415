using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Writes the post-mortem of a match whose bridge was killed, from the files that the bridge left.</summary>
internal static class KilledBridge
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    /// <summary>Writes the files. Does nothing if the bridge itself ended the match, for example because the disk was full.</summary>
    /// <param name="folder">The match's folder, whose files were repaired.</param>
    /// <param name="recording">The path of the recording.</param>
    /// <param name="log">The path of the bridge's log.</param>
    /// <param name="crash">The exception that ended the bridge; null without one.</param>
    /// <param name="note">The note of the bridge in its lock file.</param>
    /// <param name="print">Prints a line.</param>
    internal static void WritePostMortem(
        string folder, string recording, string log, IReadOnlyList<string>? crash, PostMortemNote note, Action<string> print)
    {
        var loop = ProgressNote.ReadAndDelete(folder);
        if (File.Exists(Path.Combine(folder, "summary.json")) || File.Exists(Path.Combine(folder, KeptBundles.JsonName)))
        {
            return;
        }

        using var timeout = new CancellationTokenSource(Timeout);
        try
        {
            var facts = new EndFacts { IsBridgeKilled = true, BridgeCrash = crash, GameLoop = loop };
            if (File.Exists(recording))
            {
                using var read = RecordingReader.Open(recording);
                facts.Description = read.Description;
                facts.Rate = read.Description switch
                {
                    { Realtime: true } => StepRate.GameClock,
                    { Rate: 0 } => StepRate.Max,
                    var match => StepRate.At(match.Rate),
                };
            }

            var writer = new PostMortemWriter(folder, recording, log, AnonymousText.ForThisUser(note.ReadTokens(), note.Variables));
            print(writer.Write(facts, python: "", timeout.Token));
        }
#pragma warning disable CA1031 // A post-mortem that fails must not stop the command that repairs the folder.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            print($"the post-mortem in {folder} could not be written: {failure.Message}");
        }
    }
}
