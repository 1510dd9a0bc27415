using System.CommandLine;
using System.Text;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Terminal;

/// <summary>Writes the help of commands: short or complete for a terminal, and complete as Markdown for the reference.</summary>
public static partial class HelpText
{
    private const int WidestName = 26;

    /// <summary>The words that a user types to start the program.</summary>
    public static string ProgramName { get; set; } = "sc2bridge";

    /// <summary>The help of a program: the list of its commands.</summary>
    /// <param name="root">The program.</param>
    /// <param name="width">The width of the terminal in columns.</param>
    public static string OfProgram(RootCommand root, int width)
    {
        ArgumentNullException.ThrowIfNull(root);
        var text = new StringBuilder();
        WriteWrapped(text, ToPlainText(root.Description), 0, width);
        text.AppendLine().AppendLine($"Usage: {ProgramName} COMMAND [OPTIONS]").AppendLine().AppendLine("Commands:");
        WriteRows(text, [.. VisibleSubcommands(root).Select(command => (command.Name, ToPlainText(command.Description)))], width);
        text.AppendLine();
        WriteWrapped(text, $"{ProgramName} help COMMAND shows how to use a command. {ProgramName} --version, or -V, shows the version.", 0, width);
        WriteWrapped(text, "Exit codes: 0 success. 1 the command failed, a recording is damaged, or a service does not answer. 2 the command line or a file is wrong. 130 the command was stopped (simulate: 0).", 0, width);
        return text.ToString();
    }

    /// <summary>The help of one command.</summary>
    /// <param name="command">The command.</param>
    /// <param name="listsAll">Whether the help lists every option, in groups.</param>
    /// <param name="width">The width of the terminal in columns.</param>
    public static string OfCommand(Command command, bool listsAll, int width)
    {
        ArgumentNullException.ThrowIfNull(command);
        if (command is RootCommand root)
        {
            return OfProgram(root, width);
        }

        var documented = command as DocumentedCommand;
        var text = new StringBuilder();
        WriteWrapped(text, ToPlainText(command.Description), 0, width);
        text.AppendLine();
        WriteWrapped(text, $"Usage: {Usage(command)}", 0, width, indent: 7);
        if (VisibleSubcommands(command).Any())
        {
            text.AppendLine().AppendLine("Commands:");
            WriteRows(text, [.. VisibleSubcommands(command).Select(each => (each.Name, ToPlainText(each.Description)))], width);
        }

        if (command.Arguments.Any(argument => argument.Description is not null))
        {
            text.AppendLine().AppendLine("Arguments:");
            WriteRows(text, [.. command.Arguments.Select(argument => (argument.Name, ToPlainText(argument.Description)))], width);
        }

        if (documented?.Examples.Count > 0)
        {
            text.AppendLine().AppendLine("Examples:");
            foreach (var (purpose, words) in documented.Examples)
            {
                foreach (var line in WrapLines(purpose, width - 4))
                {
                    text.AppendLine($"  # {line}");
                }

                text.AppendLine($"  {ProgramName} {words}");
            }
        }

        // A command that is not a DocumentedCommand parses its own arguments, so the help lists no options.
        OptionGroup[] groups = documented is null ? [] : [.. documented.Groups, new("all commands", Printing.Options)];
        if (listsAll && documented?.Remarks.Length > 0)
        {
            text.AppendLine();
            WriteWrapped(text, ToPlainText(documented.Remarks), 0, width);
        }

        if (!listsAll && documented?.CommonOptions.Count > 0)
        {
            text.AppendLine().AppendLine("Options that most people need:");
            WriteRows(text, [.. documented.CommonOptions.Select(Row)], width);
            text.AppendLine();
            WriteWrapped(
                text,
                $"{CommandPath(command)} --help-all lists all {groups.Sum(group => group.Options.Count(option => !option.Hidden))} options: "
                    + $"{string.Join(", ", groups.Select(group => group.Name))}.",
                0, width);
        }
        else
        {
            foreach (var (name, options) in groups)
            {
                if (options.Any(option => !option.Hidden))
                {
                    text.AppendLine().AppendLine($"{char.ToUpperInvariant(name[0])}{name[1..]}:");
                    WriteRows(text, [.. options.Where(option => !option.Hidden).Select(Row)], width);
                }
            }

            var keys = documented?.OnlyInFile.ToList() ?? [];
            if (keys.Count > 0)
            {
                text.AppendLine().AppendLine("Keys that only the configuration file accepts:");
                WriteRows(text, [.. keys.Select(key => (key.Name[2..], ToPlainText(key.Description)))], width);
            }
        }

        return text.ToString();
    }

    /// <summary>
    /// The reference of a program's commands, as Markdown: a heading for each command, and a table for each group of options. A group
    /// that several commands share appears once, at the end.
    /// </summary>
    public static string Markdown(RootCommand root)
    {
        ArgumentNullException.ThrowIfNull(root);
        var text = new StringBuilder();
        var commands = VisibleSubcommands(root).SelectMany(top => VisibleSubcommands(top).Prepend(top)).OfType<DocumentedCommand>().ToList();
        var shared = commands.SelectMany(command => command.Groups).GroupBy(TableKey)
            .Where(alike => alike.Count() > 1).Select(alike => alike.First()).ToList();
        var keys = shared.Select(TableKey).ToHashSet();
        foreach (var command in commands)
        {
            text.AppendLine($"## {CommandPath(command)[(ProgramName.Length + 1)..]}").AppendLine(command.Description);
            text.AppendLine().AppendLine("```text").AppendLine(Usage(command)).AppendLine("```");
            if (command.Remarks.Length > 0)
            {
                text.AppendLine().AppendLine(command.Remarks);
            }

            WriteTable(text, "argument", [.. command.Arguments.Select(argument => (argument.Name, argument.Description ?? ""))]);
            foreach (var group in command.Groups.Where(group => !keys.Contains(TableKey(group))))
            {
                WriteTable(text, group.Name, TableRows(group));
            }

            var links = command.Groups.Where(group => keys.Contains(TableKey(group))).Select(group => $"[{group.Name}](#{Anchor(group, shared)})");
            if (links.Any())
            {
                text.AppendLine().AppendLine($"Options that other commands have too: {string.Join(", ", links)}.");
            }

            text.AppendLine();
        }

        foreach (var group in shared)
        {
            text.AppendLine($"## {Title(group, shared)}");
            WriteTable(text, "option", TableRows(group));
            text.AppendLine();
        }

        text.AppendLine("## All commands").AppendLine("`run` does not accept these options, because Python reads the arguments of `run`.");
        WriteTable(text, "option", [.. Printing.Options.Select(one => (NameWithValue(one), one.Description ?? ""))]);
        return text.ToString();
    }

    /// <summary>The words of a description, in lines of at most <paramref name="width"/> characters.</summary>
    public static IEnumerable<string> WrapLines(string markdown, int width)
    {
        var text = new StringBuilder();
        WriteWrapped(text, ToPlainText(markdown), 0, width);
        return text.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>The words that a user types to run a command.</summary>
    public static string CommandPath(Command command)
    {
        ArgumentNullException.ThrowIfNull(command);
        return command is RootCommand ? ProgramName : $"{CommandPath(command.Parents.OfType<Command>().First())} {command.Name}";
    }

    private static IEnumerable<Command> VisibleSubcommands(Command command) => command.Subcommands.Where(each => !each.Hidden);

    private static string Usage(Command command)
    {
        var arguments = command.Arguments.Select(argument =>
            (argument.Arity.MinimumNumberOfValues > 0 ? argument.Name : $"[{argument.Name}]") + (argument.Arity.MaximumNumberOfValues > 1 ? "…" : ""));
        string[] words =
        [
            CommandPath(command), .. VisibleSubcommands(command).Any() ? ["COMMAND"] : arguments,
            .. command.Options.Where(option => option.Required).Select(NameWithValue), "[OPTIONS]",
        ];
        return string.Join(' ', words);
    }

    private static string NameWithValue(Option option) =>
        string.Join(", ", option.Aliases.Order(StringComparer.Ordinal).Append(option.Name)) + (option.HelpName is { } value ? $" {value}" : "");

    private static (string Name, string Text) Row(Option option) => (NameWithValue(option), ToPlainText(option.Description));

    private static (string Name, string Text)[] TableRows(OptionGroup group) =>
        [
            .. group.Options.Where(option => !option.Hidden).Select(option => (NameWithValue(option), option.Description ?? "")),
            .. group.OnlyInFile.Select(option => ($"{option.Name[2..]} = {option.HelpName ?? "true"}", $"{option.Description}; in the configuration file only")),
        ];

    private static string TableKey(OptionGroup group) =>
        string.Join('\n', TableRows(group).Select(row => $"{row.Name} {row.Text}").Prepend(group.Name));

    // Groups of two commands may have the same name but different options.
    private static string Title(OptionGroup group, List<OptionGroup> shared)
    {
        var alike = shared.Where(other => other.Name == group.Name).ToList();
        return $"Options: {group.Name}{(alike.Count == 1 ? "" : $" ({alike.IndexOf(group) + 1})")}";
    }

    private static string Anchor(OptionGroup group, List<OptionGroup> shared) =>
        Title(shared.First(other => TableKey(other) == TableKey(group)), shared).ToLowerInvariant().Replace(' ', '-')
            .Replace(":", "", StringComparison.Ordinal).Replace("(", "", StringComparison.Ordinal).Replace(")", "", StringComparison.Ordinal);

    private static void WriteTable(StringBuilder text, string head, (string Name, string Text)[] rows)
    {
        if (rows.Length == 0)
        {
            return;
        }

        text.AppendLine().AppendLine($"| {head} | meaning |").AppendLine("| --- | --- |");
        foreach (var (name, meaning) in rows)
        {
            text.AppendLine($"| `{name.Replace("|", "\\|", StringComparison.Ordinal)}` | {meaning.Replace("|", "\\|", StringComparison.Ordinal)} |");
        }
    }

    private static void WriteRows(StringBuilder text, IReadOnlyList<(string Name, string Text)> rows, int width)
    {
        var column = 4 + rows.Select(row => row.Name.Length).Where(length => length <= WidestName).DefaultIfEmpty(WidestName).Max();
        foreach (var (name, description) in rows)
        {
            text.Append("  ").Append(name);
            var fits = name.Length <= WidestName;
            if (fits)
            {
                text.Append(' ', column - 2 - name.Length);
            }
            else
            {
                text.AppendLine();
            }

            WriteWrapped(text, description, column, width, isBegun: fits);
        }
    }

    // Wraps between words; a word that is longer than a line stays whole.
    private static void WriteWrapped(StringBuilder text, string words, int margin, int width, int indent = 0, bool isBegun = false)
    {
        var used = isBegun ? margin : -1;
        var isFirst = true;
        foreach (var word in words.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (used >= 0 && !isFirst && used + 1 + word.Length >= width)
            {
                text.AppendLine();
                used = -1;
                margin += indent;
                indent = 0;
            }

            if (used < 0)
            {
                text.Append(' ', margin);
                used = margin;
            }
            else if (!isFirst)
            {
                text.Append(' ');
                used++;
            }

            text.Append(word);
            used += word.Length;
            isFirst = false;
        }

        text.AppendLine();
    }

    /// <summary>A description without Markdown's links and quotes.</summary>
    public static string ToPlainText(string? markdown) => Link().Replace(markdown ?? "", "$1").Replace("`", "", StringComparison.Ordinal);

    [GeneratedRegex(@"\[([^\]]+)\]\([^)]+\)")]
    private static partial Regex Link();
}
