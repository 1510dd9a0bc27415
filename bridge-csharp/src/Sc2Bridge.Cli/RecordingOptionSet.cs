using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of commands that record a match.</summary>
internal sealed class RecordingOptionSet : OptionSet
{
    private readonly Option<string?> _file = Text(
        "--recording", null, "FILE", "the recording's file (default: `match.mcap` in the output folder)");

    private readonly Option<bool> _none = Flag("--no-recording", "record nothing");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("files", _file, _none)];

    /// <summary>Reads the file to record into; null to record nothing.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="folder">The output folder.</param>
    /// <param name="oneFile">False if a series writes a recording for each game.</param>
    /// <exception cref="CommandException">Options contradict each other, or the file already exists.</exception>
    internal string? Read(ParseResult parsed, string folder, bool oneFile = true) =>
        (parsed.GetValue(_file), parsed.GetValue(_none)) switch
        {
            (not null, _) when !oneFile => throw new CommandException(
                "--recording names one file, but a series writes one for each game, in the folder of the game: leave out --recording"),
            (not null, true) => throw new CommandException("--no-recording contradicts --recording: leave one out"),
            (not null and var named, _) when new FileInfo(named) is { Exists: true, Length: > 0 } =>
                throw new CommandException(
                    $"{named} already exists: name another file with --recording, or delete it"),
            (_, true) => null,
            (var named, _) => named ?? SessionOptions.DefaultRecording(folder),
        };
}
