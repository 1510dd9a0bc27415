using System.CommandLine;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Cli;

/// <summary>The options of the configuration file, and what it adds to a command line.</summary>
internal sealed class ConfigurationOptions
{
    /// <summary>The file that is read if it is in the current folder.</summary>
    internal const string FileName = "sc2bridge.toml";

    /// <summary>The group of these options in the help.</summary>
    internal const string GroupName = "configuration";

    // The others are started by programs, or have nothing that a file would set.
    private static readonly string[] _finding = ["match", "replay", "record", "relay", "inspect", "export", "doctor"];
    private static readonly string[] _reading = [.. _finding, "ladder"];

    private static string? _path;
    private static IReadOnlyList<ConfiguredOption> _applied = [];

    private readonly RootCommand _root;
    private readonly Option<string?> _file = OptionKinds.Text("--config", null, "FILE", $"the [file of options](../guide/configuration.md) (default: `{FileName}`, if it is in the current folder)");
    private readonly Option<string?> _profile = OptionKinds.Text("--profile", null, "NAME", "the profile of the file to use");
    private readonly Option<bool> _none = OptionKinds.Flag("--no-config", $"do not read `{FileName}`");

    /// <summary>Adds them to the commands that read a file.</summary>
    internal ConfigurationOptions(RootCommand root)
    {
        _root = root;
        foreach (var command in Commands)
        {
            command.Add(new OptionGroup(GroupName, [_file, _profile, .. _finding.Contains(command.Name) ? [_none] : (Option[])[]]));
        }
    }

    /// <summary>The commands that read a file.</summary>
    internal IEnumerable<DocumentedCommand> Commands => _root.Subcommands.OfType<DocumentedCommand>().Where(Reads);

    /// <summary>Whether a command reads a file.</summary>
    internal static bool Reads(Command command) => _reading.Contains(command.Name);

    /// <summary>Whether the file sets an option, and not the command line.</summary>
    internal static bool Sets(Option option) => _applied.Any(one => one.Option == option);

    /// <summary>A message, with the place in the file if it is about a value from there.</summary>
    internal static string Locate(string message)
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

    /// <summary>Adds what a file sets.</summary>
    /// <param name="parsed">The command line, without errors.</param>
    /// <param name="arguments">Its words.</param>
    /// <returns>The command line and the file together. Its errors may be about values of the file.</returns>
    /// <exception cref="CommandException">The file cannot be used.</exception>
    internal ParseResult Apply(ParseResult parsed, IReadOnlyList<string> arguments)
    {
        var command = parsed.CommandResult.Command;
        if (!Commands.Contains(command) || parsed.Action != command.Action)
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
        var set = file.For(command.Name, profile, command.Options.Concat(Printing.Options).Where(option => OptionSet.IsGiven(parsed, option)));
        foreach (var one in isNamed ? [] : set)
        {
            if (one.Values.FirstOrDefault(value => !FoundFile.Allows(one.Key, value)) is { } value)
            {
                throw ConfigurationReader.Wrong(
                    path, one.Line, $"{one.Key} = {value} needs --config, as it may start programs, let others in, name other machines, or write elsewhere or over files: "
                        + $"if you trust this file, add --config {path}, or else remove the line");
            }
        }

        (_path, _applied) = (path, set);

        // The words after -- are no options.
        var end = arguments.ToList().IndexOf("--");
        var both = _root.Parse(
        [
            .. arguments.Take(end < 0 ? arguments.Count : end),
            .. set.SelectMany(one => one.Values.Select(value => one.Option.ValueType == typeof(bool) ? one.Option.Name : $"{one.Option.Name}={value}")),
            .. arguments.Skip(end < 0 ? arguments.Count : end),
        ]);
        Printing.Read(both);
        Printing.PrintMessage($"Options: {Path.GetFullPath(path)}{(profile is null ? "" : $", profile {profile}")}");
        return both;
    }

    private ConfigurationFile? Open(ParseResult parsed, out string path)
    {
        var named = parsed.GetValue(_file);
        path = named ?? FileName;
        if (parsed.GetValue(_none))
        {
            return named is null && parsed.GetValue(_profile) is null ? null
                : throw new CommandException($"--no-config contradicts {(named is null ? "--profile" : "--config")}: leave one out");
        }

        // An empty file may be a pipe, which would have to be waited for.
        return named is null && (!_finding.Contains(parsed.CommandResult.Command.Name) || !(Directory.Exists(path) || new FileInfo(path) is { Exists: true, Length: > 0 }))
            ? null
            : new(path, ConfigurationReader.Read(path), Commands);
    }
}
