using System.CommandLine;
using System.Globalization;
using System.Text;

namespace Sc2Bridge.Cli;

/// <summary><c>sc2bridge init</c>: writes a configuration file that sets nothing, and explains each option in comments.</summary>
internal static class InitCommand
{
    internal static DocumentedCommand Create()
    {
        var command = new DocumentedCommand("init", $"Writes {ConfigurationOptions.FileName}, which has all options as comments, to the current folder.")
        {
            Examples =
            [
                ("a file with all options as comments: remove the # before the options that you want", "init"),
                ("a match with the options below [profiles.fast] in the file", "match --profile fast"),
            ],
            Remarks = "[The guide](../guide/configuration.md) shows what such a file can do.",
        };
        command.SetAction(async (parsed, _) =>
        {
            const string name = ConfigurationOptions.FileName;
            if (Path.Exists(name))
            {
                throw new CommandException($"{name} already exists: change it, or delete it first");
            }

            await using (var file = new StreamWriter(new FileStream(name, FileMode.CreateNew)))
            {
                await file.WriteAsync(Text((RootCommand)parsed.RootCommandResult.Command));
            }

            Console.WriteLine($"{name} is written: remove the # before the options that you want");
            return 0;
        });
        return command;
    }

    /// <summary>The text of the file.</summary>
    internal static string Text(RootCommand root)
    {
        var text = new StringBuilder($"""
            # Options of sc2bridge, by their names without dashes. This file is read from the current folder, or is named by --config FILE.
            # Options above the first table apply to all commands that have them. Options below [replay] apply to that command alone.
            # The command line wins over this file. A profile wins over a command's table, and that table wins over the options above the first table.
            # An option with (--config) counts only if you name the file: it may start programs, let others in, name other machines, or replace files.
            # A profile is a set of options with a name, as [profiles.fast] at the end. This line uses it: sc2bridge match --profile fast

            """).AppendLine();
        HashSet<string> shown = [];
        foreach (var command in root.Subcommands.OfType<DocumentedCommand>().Where(command => ConfigurationOptions.ReadsFile(command)))
        {
            var isFirst = shown.Count == 0;
            if (!isFirst && ConfigurationFile.OptionsOf(command).Any(option => !shown.Contains(ConfigurationFile.KeyOf(option))))
            {
                text.AppendLine().AppendLine($"# ======== {command.Name} ========").AppendLine($"#[{command.Name}]");
            }

            foreach (var (name, options) in command.Groups.Append(new("all commands", Printing.Options)))
            {
                var fresh = options.Intersect(ConfigurationFile.OptionsOf(command)).Where(option => shown.Add(ConfigurationFile.KeyOf(option))).ToList();
                if (fresh.Count > 0)
                {
                    text.AppendLine().AppendLine($"# ---- {name} ----");
                }

                fresh.ForEach(option => Write(text, option));
            }
        }

        return text.Append("""

            # ======== players, one table for each ========
            #[[players]]
            #kind = "agent"
            #race = "terran"
            # (--config)
            #agent = "my_bot:MyBot"

            #[[players]]
            #kind = "computer"
            #race = "zerg"
            #difficulty = "VeryHard"

            # ======== profiles: a set of options with a name; sc2bridge match --profile fast uses this one ========
            #[profiles.fast]
            #rate = "max"
            #step-size = 8

            """).ToString();
    }

    private static void Write(StringBuilder text, Option option)
    {
        var key = ConfigurationFile.KeyOf(option);
        var value = Example(option);
        var needsName = !FoundFileRules.Allows(key, FoundFileRules.IsAddress(key) ? value.Trim('"') : "a");
        foreach (var line in HelpText.WrapLines($"{option.Description}{(needsName ? " (--config)" : "")}", 116))
        {
            text.AppendLine($"# {line}");
        }

        text.AppendLine($"#{key} = {value}");
    }

    // The default value of an option, or the placeholder of the help if the option has no default.
    private static string Example(Option option)
    {
        if (option.ValueType == typeof(bool))
        {
            return "true";
        }

        var preset = option.HasDefaultValue ? option.GetDefaultValue() : null;
        var value = preset switch
        {
            long number => number.ToString(CultureInfo.InvariantCulture),
            TimeSpan time => time.TotalSeconds.ToString(CultureInfo.InvariantCulture),
            Enum choice => $"\"{choice.ToString().ToLowerInvariant()}\"",
            string word => $"\"{word}\"",
            _ => $"\"{option.HelpName}\"",
        };
        return option.Arity.MaximumNumberOfValues > 1 ? $"[{value}]" : value;
    }
}
