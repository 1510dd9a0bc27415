using System.CommandLine;
using System.Text;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Terminal;

/// <summary>The help of commands: for a terminal in two layers, and whole as Markdown for the reference.</summary>
public static partial class HelpText
{
    private const int WidestName = 26;

    /// <summary>The words that start the program, as people type them.</summary>
    public static string Program { get; set; } = "sc2bridge";

    /// <summary>A program's commands.</summary>
    /// <param name="root">The program.</param>
    /// <param name="width">Columns of the terminal.</param>
    public static string OfProgram(RootCommand root, int width)
    {
        ArgumentNullException.ThrowIfNull(root);
        var text = new StringBuilder();
        Write(text, Plain(root.Description), 0, width);
        text.AppendLine().AppendLine($"Usage: {Program} COMMAND [OPTIONS]").AppendLine().AppendLine("Commands:");
        WriteRows(text, [.. Shown(root).Select(command => (command.Name, Plain(command.Description)))], width);
        text.AppendLine();
        Write(text, $"{Program} help COMMAND shows how one is used. {Program} --version, or -V, shows the version.", 0, width);
        Write(text, "Exit codes: 0 for success, 1 if it started and failed, 2 for a wrong command line or file, 130 if it was stopped.", 0, width);
        return text.ToString();
    }

    /// <summary>A command's help.</summary>
    /// <param name="command">The command.</param>
    /// <param name="hasAll">Whether it lists every option, in groups.</param>
    /// <param name="width">Columns of the terminal.</param>
    public static string Of(Command command, bool hasAll, int width)
    {
        ArgumentNullException.ThrowIfNull(command);
        if (command is RootCommand root)
        {
            return OfProgram(root, width);
        }

        var documented = command as DocumentedCommand;
        var text = new StringBuilder();
        Write(text, Plain(command.Description), 0, width);
        text.AppendLine();
        Write(text, $"Usage: {Usage(command)}", 0, width, indent: 7);
        if (Shown(command).Any())
        {
            text.AppendLine().AppendLine("Commands:");
            WriteRows(text, [.. Shown(command).Select(each => (each.Name, Plain(each.Description)))], width);
        }

        if (command.Arguments.Any(argument => argument.Description is not null))
        {
            text.AppendLine().AppendLine("Arguments:");
            WriteRows(text, [.. command.Arguments.Select(argument => (argument.Name, Plain(argument.Description)))], width);
        }

        if (documented?.Examples.Count > 0)
        {
            text.AppendLine().AppendLine("Examples:");
            foreach (var (purpose, words) in documented.Examples)
            {
                Write(text, $"# {purpose}", 2, width);
                text.AppendLine($"  {Program} {words}");
            }
        }

        // A command without documentation of its own reads its own words.
        OptionGroup[] groups = documented is null ? [] : [.. documented.Groups, new("all commands", Printing.Options)];
        if (hasAll && documented?.Remarks.Length > 0)
        {
            text.AppendLine();
            Write(text, Plain(documented.Remarks), 0, width);
        }

        if (!hasAll && documented?.Common.Count > 0)
        {
            text.AppendLine().AppendLine("Options that most people need:");
            WriteRows(text, [.. documented.Common.Select(Row)], width);
            text.AppendLine();
            Write(
                text,
                $"{Path(command)} --help-all lists all {groups.Sum(group => group.Options.Count(option => !option.Hidden))} options: "
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
                text.AppendLine().AppendLine("Keys of the configuration file, which are no options:");
                WriteRows(text, [.. keys.Select(key => (key.Name[2..], Plain(key.Description)))], width);
            }
        }

        return text.ToString();
    }

    /// <summary>
    /// The reference of a program's commands: Markdown, a heading for each command and a table for each group of options. A group that
    /// several commands have alike stands once, at the end.
    /// </summary>
    public static string Markdown(RootCommand root)
    {
        ArgumentNullException.ThrowIfNull(root);
        var text = new StringBuilder();
        var commands = Shown(root).SelectMany(top => Shown(top).Prepend(top)).OfType<DocumentedCommand>().ToList();
        var shared = commands.SelectMany(command => command.Groups).GroupBy(TableKey)
            .Where(alike => alike.Count() > 1).Select(alike => alike.First()).ToList();
        var keys = shared.Select(TableKey).ToHashSet();
        foreach (var command in commands)
        {
            text.AppendLine($"## {Path(command)[(Program.Length + 1)..]}").AppendLine(command.Description);
            text.AppendLine().AppendLine("```text").AppendLine(Usage(command)).AppendLine("```");
            if (command.Remarks.Length > 0)
            {
                text.AppendLine().AppendLine(command.Remarks);
            }

            WriteTable(text, "argument", [.. command.Arguments.Select(argument => (argument.Name, argument.Description ?? ""))]);
            foreach (var group in command.Groups.Where(group => !keys.Contains(TableKey(group))))
            {
                WriteTable(text, group.Name, Table(group));
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
            WriteTable(text, "option", Table(group));
            text.AppendLine();
        }

        text.AppendLine("## All commands").AppendLine("`run` takes them before its name, as all words after it go to Python.");
        WriteTable(text, "option", [.. Printing.Options.Select(one => (Name(one), one.Description ?? ""))]);
        return text.ToString();
    }

    /// <summary>The words of a description, in lines of at most some characters.</summary>
    public static IEnumerable<string> Lines(string markdown, int width)
    {
        var text = new StringBuilder();
        Write(text, Plain(markdown), 0, width);
        return text.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>The words that start a command.</summary>
    public static string Path(Command command)
    {
        ArgumentNullException.ThrowIfNull(command);
        return command is RootCommand ? Program : $"{Path(command.Parents.OfType<Command>().First())} {command.Name}";
    }

    private static IEnumerable<Command> Shown(Command command) => command.Subcommands.Where(each => !each.Hidden);

    private static string Usage(Command command)
    {
        var arguments = command.Arguments.Select(argument =>
            (argument.Arity.MinimumNumberOfValues > 0 ? argument.Name : $"[{argument.Name}]") + (argument.Arity.MaximumNumberOfValues > 1 ? "…" : ""));
        string[] words =
        [
            Path(command), .. Shown(command).Any() ? ["COMMAND"] : arguments,
            .. command.Options.Where(option => option.Required).Select(Name), "[OPTIONS]",
        ];
        return string.Join(' ', words);
    }

    private static string Name(Option option) =>
        string.Join(", ", option.Aliases.Order(StringComparer.Ordinal).Append(option.Name)) + (option.HelpName is { } value ? $" {value}" : "");

    private static (string Name, string Text) Row(Option option) => (Name(option), Plain(option.Description));

    private static (string Name, string Text)[] Table(OptionGroup group) =>
        [
            .. group.Options.Where(option => !option.Hidden).Select(option => (Name(option), option.Description ?? "")),
            .. group.OnlyInFile.Select(option => ($"{option.Name[2..]} = {option.HelpName ?? "true"}", $"{option.Description}; in the configuration file only")),
        ];

    private static string TableKey(OptionGroup group) =>
        string.Join('\n', Table(group).Select(row => $"{row.Name} {row.Text}").Prepend(group.Name));

    // A group of the same name may have other options for another command.
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

            Write(text, description, column, width, isBegun: fits);
        }
    }

    // Wraps between words; a word that is longer than a line stays whole.
    private static void Write(StringBuilder text, string words, int left, int width, int indent = 0, bool isBegun = false)
    {
        var used = isBegun ? left : -1;
        var isFirst = true;
        foreach (var word in words.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (used >= 0 && !isFirst && used + 1 + word.Length >= width)
            {
                text.AppendLine();
                used = -1;
                left += indent;
                indent = 0;
            }

            if (used < 0)
            {
                text.Append(' ', left);
                used = left;
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

    /// <summary>The words of a description.</summary>
    public static string Plain(string? markdown) => Link().Replace(markdown ?? "", "$1").Replace("`", "", StringComparison.Ordinal);

    [GeneratedRegex(@"\[([^\]]+)\]\([^)]+\)")]
    private static partial Regex Link();
}
