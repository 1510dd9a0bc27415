using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options that commands share which record what they play.</summary>
internal sealed class RecordingOptionSet : OptionSet
{
    private readonly Option<string?> _file = Text(
        "--recording", null, "FILE", "the recording's file (default: `match.mcap` in the output folder)");

    private readonly Option<bool> _none = Flag("--no-recording", "record nothing");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("files", _file, _none)];

    /// <summary>The file to record into; null for none.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="folder">The output folder.</param>
    /// <param name="oneFile">False where a series leaves a recording of each game.</param>
    /// <exception cref="CommandException">Options contradict each other, or the file would be lost.</exception>
    internal string? Read(ParseResult parsed, string folder, bool oneFile = true) =>
        (parsed.GetValue(_file), parsed.GetValue(_none)) switch
        {
            (not null, _) when !oneFile => throw new CommandException(
                "--recording names one file, and --games leaves one for each game in its folder: leave it out"),
            (not null, true) => throw new CommandException("--no-recording contradicts --recording: leave one out"),
            (not null and var named, _) when new FileInfo(named) is { Exists: true, Length: > 0 } =>
                throw new CommandException(
                    $"{named} is there already: name another file with --recording, or delete it"),
            (_, true) => null,
            (var named, _) => named ?? SessionOptions.UsualRecording(folder),
        };
}
