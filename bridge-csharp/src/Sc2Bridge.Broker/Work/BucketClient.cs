using System.Net;
using Amazon.Runtime;
using Amazon.S3;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// The connection to an S3-compatible store. The environment names the user and the URL, as it does for Amazon's tools.
/// Whatever the store refuses is a <see cref="ResultStoreException"/>, which says what to do.
/// </summary>
internal sealed class BucketClient : IDisposable
{
    private static readonly TimeSpan _longestConnect = TimeSpan.FromSeconds(5);

    private readonly string _name;
    private readonly string? _endpoint;
    private readonly Lazy<AmazonS3Client> _client;

    /// <summary>Connects with the first request.</summary>
    /// <param name="name">What messages call the bucket.</param>
    /// <param name="endpoint">The store's URL; null: as the environment has it.</param>
    /// <param name="credentials">The user; null: as the environment names it.</param>
    internal BucketClient(string name, string? endpoint, AWSCredentials? credentials)
    {
        (_name, _endpoint) = (name, endpoint ?? Variable("AWS_ENDPOINT_URL_S3") ?? Variable("AWS_ENDPOINT_URL"));
        _client = new Lazy<AmazonS3Client>(() => Connect(credentials));
    }

    /// <summary>The address, with the endpoint's host and port; its user and password, if it names them, are left out.</summary>
    public override string ToString() =>
        _name + (Uri.TryCreate(_endpoint, UriKind.Absolute, out var at) ? $" at {at.Host}:{at.Port}" : "");

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_client.IsValueCreated)
        {
            _client.Value.Dispose();
        }
    }

    /// <summary>Makes a request.</summary>
    /// <param name="longest">How long it may take, with its repetitions.</param>
    /// <param name="ask">Makes it.</param>
    /// <param name="ct">Gives up.</param>
    /// <param name="silence">Ends it because the store has stood still.</param>
    /// <exception cref="ResultStoreException">The store refuses, or does not answer.</exception>
    /// <exception cref="IOException">No store would take it.</exception>
    internal async Task<T> AskAsync<T>(
        TimeSpan longest, Func<AmazonS3Client, CancellationToken, Task<T>> ask, CancellationToken ct,
        CancellationToken silence = default)
    {
        using var time = CancellationTokenSource.CreateLinkedTokenSource(ct, silence);
        time.CancelAfter(longest);
        try
        {
            return await ask(_client.Value, time.Token);
        }
        catch (AmazonS3Exception failure) when (failure.ErrorCode is "EntityTooLarge" or "KeyTooLongError")
        {
            // No store would take it: the job's failure, which is not tried for ever.
            throw new IOException($"{this} takes no file so large, or no name so long ({failure.ErrorCode})", failure);
        }
        catch (Exception failure) when (failure
            is AmazonServiceException or AmazonClientException or HttpRequestException or IOException or TimeoutException
            or OperationCanceledException)
        {
            ct.ThrowIfCancellationRequested();
            throw new ResultStoreException($"{this} {Explain(failure)}", failure);
        }
    }

    private AmazonS3Client Connect(AWSCredentials? credentials)
    {
        var settings = new AmazonS3Config
        {
            ConnectTimeout = _longestConnect,
            Timeout = Timeout.InfiniteTimeSpan,

            // Not every other store knows the checksums that Amazon's own takes.
            RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED,
        };
        if (_endpoint is not null)
        {
            if (!Uri.TryCreate(_endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            {
                throw new ResultStoreException(
                    $"{this} cannot be asked: AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL, is no URL: write https://HOST or https://HOST:PORT");
            }

            // A store of one's own has as a rule no name for each bucket, and no regions.
            settings.ServiceURL = _endpoint;
            settings.ForcePathStyle = true;
            settings.AuthenticationRegion = Variable("AWS_REGION") ?? Variable("AWS_DEFAULT_REGION") ?? "us-east-1";
        }

        return credentials is null ? new AmazonS3Client(settings) : new AmazonS3Client(credentials, settings);
    }

    // Codes: docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. The library's own messages may repeat what was sent.
    private static string Explain(Exception failure) => failure switch
    {
        AmazonS3Exception { ErrorCode: "NoSuchBucket" } => "does not exist: make the bucket, or name another",
        AmazonS3Exception { ErrorCode: "PermanentRedirect" or "AuthorizationHeaderMalformed" or "IllegalLocationConstraintException" } told =>
            $"is in another region ({told.ErrorCode}): set AWS_REGION to the bucket's",
        AmazonS3Exception { StatusCode: HttpStatusCode.Forbidden or HttpStatusCode.Unauthorized } told =>
            $"does not let you in ({told.ErrorCode}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, of somebody who may list, read, "
            + "write and delete there",
        AmazonS3Exception { ErrorCode: "NotImplemented" } =>
            "does not support If-None-Match, which keeps one result for each job (NotImplemented): name another store",
        AmazonS3Exception { ErrorCode.Length: > 0 } told => $"refuses ({told.ErrorCode}): look into the store's log",
        AmazonClientException => "cannot be asked: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or, of a store that "
            + "is not Amazon's, AWS_ENDPOINT_URL_S3",
        _ => $"does not answer ({BrokerAddress.Cause(failure)}): see that it runs, and that AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL and "
            + "AWS_REGION name it",
    };

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
