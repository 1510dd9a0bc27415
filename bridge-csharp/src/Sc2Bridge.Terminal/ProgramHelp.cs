using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Sc2Bridge.Terminal;

/// <summary>The ways to show the help of a program's commands: <c>--help</c>, <c>--help-all</c> and the command <c>help</c>.</summary>
public static class ProgramHelp
{
    private const int DefaultWidth = 80;
    private const int WidestText = 120;

    /// <summary>Adds the options and the command for help to a program, and the options that all commands have.</summary>
    /// <param name="root">The program.</param>
    public static void AddTo(RootCommand root)
    {
        ArgumentNullException.ThrowIfNull(root);
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new ShowHelpAction(listsAll: false);
        root.Options.OfType<VersionOption>().Single().Aliases.Add("-V");
        root.Add(new Option<bool>("--help-all") { Recursive = true, Hidden = true, Action = new ShowHelpAction(listsAll: true) });
        foreach (var option in Printing.Options)
        {
            root.Add(option);
        }

        root.Add(CreateHelpCommand(root));
    }

    /// <summary>Prints the list of commands to standard error, for a command line without a command.</summary>
    public static void PrintCommandsAsError(RootCommand root) => Console.Error.Write(HelpText.OfProgram(root, Width));

    private static DocumentedCommand CreateHelpCommand(RootCommand root)
    {
        var names = new Argument<string[]>("COMMAND") { Description = "the command; without it, all commands are listed", Arity = ArgumentArity.ZeroOrMore };
        var all = OptionKinds.Flag("--all", "every option, in groups");
        var markdown = OptionKinds.Flag("--markdown", "every option of all commands, as Markdown");
        markdown.Hidden = true;
        var command = new DocumentedCommand("help", "Shows how a command is used.")
        {
            Examples = [("every option of a command", "help match --all")],
        };
        command.Add(names);
        command.Add(new OptionGroup("options", all, markdown));
        command.SetAction((parsed, _) =>
        {
            if (parsed.GetValue(markdown))
            {
                Console.Out.Write(HelpText.Markdown(root));
                return Task.FromResult(0);
            }

            Command shown = root;
            foreach (var name in parsed.GetValue(names) ?? [])
            {
                shown = shown.Subcommands.FirstOrDefault(one => one.Name == name)
                    ?? throw new CommandException(Failures.DescribeUnknownCommand(shown, name));
            }

            Console.Out.Write(HelpText.OfCommand(shown, parsed.GetValue(all), Width));
            return Task.FromResult(0);
        });
        return command;
    }

    // Long lines are hard to read, however wide the terminal is.
    private static int Width
    {
        get
        {
            if (int.TryParse(Environment.GetEnvironmentVariable("COLUMNS"), out var columns) && columns > 0)
            {
                return Math.Min(columns, WidestText);
            }

            return Console.IsOutputRedirected ? DefaultWidth : Math.Clamp(Console.WindowWidth, 40, WidestText);
        }
    }

    private sealed class ShowHelpAction(bool listsAll) : SynchronousCommandLineAction
    {
        public override bool ClearsParseErrors => true;

        public override int Invoke(ParseResult parseResult)
        {
            ArgumentNullException.ThrowIfNull(parseResult);
            Console.Out.Write(HelpText.OfCommand(parseResult.CommandResult.Command, listsAll, Width));
            return 0;
        }
    }
}
