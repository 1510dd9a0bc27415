using System.CommandLine;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Cli;

/// <summary>Has the options that choose a configuration file, and adds the options of that file to a command line.</summary>
internal sealed class ConfigurationOptions
{
    /// <summary>The name of the file that is read from the current folder.</summary>
    internal const string FileName = "sc2bridge.toml";

    /// <summary>The group of these options in the help.</summary>
    internal const string GroupName = "configuration";

    // The commands that read a file from the current folder. Other commands are started by programs, or need no options from a file.
    private static readonly string[] _findingCommands = ["match", "replay", "record", "relay", "inspect", "export", "doctor"];
    private static readonly string[] _readingCommands = [.. _findingCommands, "ladder"];

    private static string? _path;
    private static IReadOnlyList<ConfiguredOption> _applied = [];

    private readonly RootCommand _root;
    private readonly Option<string?> _file = OptionKinds.Text("--config", null, "FILE", $"the [file of options](../guide/configuration.md) (default: `{FileName}`, if it is in the current folder)");
    private readonly Option<string?> _profile = OptionKinds.Text("--profile", null, "NAME", "the profile of the file to use");
    private readonly Option<bool> _noFile = OptionKinds.Flag("--no-config", $"do not read `{FileName}`");

    /// <summary>Adds the options to the commands that read a file.</summary>
    internal ConfigurationOptions(RootCommand root)
    {
        _root = root;
        foreach (var command in ReadingCommands)
        {
            command.Add(new OptionGroup(GroupName, [_file, _profile, .. _findingCommands.Contains(command.Name) ? [_noFile] : (Option[])[]]));
        }
    }

    /// <summary>The commands that read a file.</summary>
    internal IEnumerable<DocumentedCommand> ReadingCommands => _root.Subcommands.OfType<DocumentedCommand>().Where(ReadsFile);

    /// <summary>Whether a command reads a file.</summary>
    internal static bool ReadsFile(Command command) => _readingCommands.Contains(command.Name);

    /// <summary>Whether a value of an option comes from the file and not from the command line.</summary>
    internal static bool IsFromFile(Option option) => _applied.Any(one => one.Option == option);

    /// <summary>If a message is about a value of the file, adds the path of the file and the line to the message.</summary>
    internal static string AddLocation(string message)
    {
        var wrong = _applied.FirstOrDefault(one => Regex.IsMatch(message, $@"(?<![\w-]){Regex.Escape(one.Option.Name)}(?![\w-])"))
            ?? _applied.FirstOrDefault(one => one.Values.Any(value => message.Contains($"'{value}'", StringComparison.Ordinal)));
        return wrong is null ? message : $"{_path}:{wrong.Line}: {message}";
    }

    /// <summary>The names of the profiles that the command line can choose; empty if no file can be read.</summary>
    internal IEnumerable<string> ProfileNames(ParseResult parsed)
    {
        try
        {
            return Open(parsed, out _)?.ProfileNames ?? [];
        }
        catch (CommandException)
        {
            return [];
        }
    }

    /// <summary>Adds the options of the file to a command line.</summary>
    /// <param name="parsed">The command line, without errors.</param>
    /// <param name="arguments">The words of the command line.</param>
    /// <returns>The command line and the file together. Its errors may be about values of the file.</returns>
    /// <exception cref="CommandException">The file cannot be used.</exception>
    internal ParseResult Apply(ParseResult parsed, IReadOnlyList<string> arguments)
    {
        var command = parsed.CommandResult.Command;
        if (!ReadingCommands.Contains(command) || parsed.Action != command.Action)
        {
            return parsed;
        }

        if (Open(parsed, out var path) is not { } file)
        {
            return parsed.GetValue(_profile) is { } alone ? throw new CommandException(
                $"--profile {alone} needs a configuration file: add --config FILE, or make {FileName} with sc2bridge init") : parsed;
        }

        var profile = parsed.GetValue(_profile);
        var isNamed = parsed.GetValue(_file) is not null;
        var set = file.ConfiguredOptionsFor(command.Name, profile, command.Options.Concat(Printing.Options).Where(option => OptionSet.IsGiven(parsed, option)));
        foreach (var one in isNamed ? [] : set)
        {
            if (one.Values.FirstOrDefault(value => !FoundFileRules.Allows(one.Key, value)) is { } value)
            {
                throw ConfigurationReader.ErrorAt(path, one.Line, FoundFileRules.DescribeRefusal(path, one.Key, value));
            }
        }

        // Words after -- are not options, so the options of the file are inserted before --.
        var end = arguments.ToList().IndexOf("--");
        var both = _root.Parse(
        [
            .. arguments.Take(end < 0 ? arguments.Count : end),
            .. set.SelectMany(one => one.Values.Select(value => one.Option.ValueType == typeof(bool) ? one.Option.Name : $"{one.Option.Name}={value}")),
            .. arguments.Skip(end < 0 ? arguments.Count : end),
        ]);

        // The help does not list a hidden option, so the error names the key in the file instead.
        foreach (var one in set.Where(one => one.Option.Hidden))
        {
            if (both.GetResult(one.Option)?.Errors.FirstOrDefault() is { } error)
            {
                throw ConfigurationReader.ErrorAt(path, one.Line, error.Message.Replace(one.Option.Name, one.Key, StringComparison.Ordinal));
            }
        }

        (_path, _applied) = (path, set);
        Printing.ApplyOptions(both);
        Printing.PrintMessage($"Options: {Path.GetFullPath(path)}{(profile is null ? "" : $", profile {profile}")}");
        return both;
    }

    private ConfigurationFile? Open(ParseResult parsed, out string path)
    {
        var named = parsed.GetValue(_file);
        path = named ?? FileName;
        if (parsed.GetValue(_noFile))
        {
            return named is null && parsed.GetValue(_profile) is null ? null
                : throw new CommandException($"--no-config contradicts {(named is null ? "--profile" : "--config")}: leave one out");
        }

        return named is null && (!_findingCommands.Contains(parsed.CommandResult.Command.Name) || !FoundFileRules.Exists(path))
            ? null
            : new(path, ConfigurationReader.Read(path), ReadingCommands);
    }
}
