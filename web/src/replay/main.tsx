console.log('replay');
