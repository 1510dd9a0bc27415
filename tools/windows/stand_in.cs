#:property TargetFramework=net10.0
#:property PublishAot=false
#:property InvariantGlobalization=true
// Replaces dotnet, py, python, npm and robocopy in the tests of sc2bridge.cmd. A copy of this program has the name of each.
// Environment variables:
//   STAND_IN_LOG    a file. This program appends a line to it: its name, the current folder and its arguments, with tabs between them.
//                   Without this variable, it acts as an agent that ignores Ctrl-C and never ends: a match starts agents without it
//   STAND_IN_CODES  exit codes by the beginning of a command, such as "robocopy proto=1;py -3 -m venv=2". All others get 0
//   STAND_IN_FOR    a program. `dotnet FILE.dll ARGUMENTS` runs it with the arguments, instead of the file

using System.Diagnostics;

if (Environment.GetEnvironmentVariable("STAND_IN_LOG") is not { } log)
{
    Console.CancelKeyPress += static (_, key) => key.Cancel = true;
    Thread.Sleep(Timeout.Infinite);
    return 1;
}

var name = Path.GetFileNameWithoutExtension(Environment.ProcessPath!);
File.AppendAllText(log, string.Join('\t', [name, Environment.CurrentDirectory, .. args]) + "\n");
var command = string.Join(' ', [name, .. args]);
foreach (var rule in (Environment.GetEnvironmentVariable("STAND_IN_CODES") ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries))
{
    var end = rule.LastIndexOf('=');
    if (command.StartsWith(rule[..end], StringComparison.Ordinal))
    {
        return int.Parse(rule[(end + 1)..]);
    }
}

if (args is [.., "-m", "venv", "--clear", var environment])
{
    Directory.CreateDirectory(Path.Combine(environment, "Scripts"));
    File.Copy(Environment.ProcessPath!, Path.Combine(environment, "Scripts", "python.exe"), overwrite: true);
}

if (name != "dotnet" || !args[0].EndsWith(".dll", StringComparison.Ordinal) || Environment.GetEnvironmentVariable("STAND_IN_FOR") is not { } program)
{
    return 0;
}

using var process = Process.Start(program, args[1..]);
process.WaitForExit();
return process.ExitCode;
