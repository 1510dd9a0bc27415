using Sc2Bridge.Processes;
using Sc2Bridge.Processes.Tests;

// A test starts this program with `parent FOLDER`. Otherwise it runs the tests.
if (args is ["parent", var folder])
{
    await using var child = ChildProcess.Start(new TestTree(folder).Program(), _ => { }, _ => { }, Path.Combine(folder, "temporary"));
    await Task.Delay(Timeout.Infinite);
}

return await Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
